"""Fluent configuration: what `OnModelCreating` and `IEntityTypeConfiguration<T>` say, followed call by call.

Helper methods that take a builder are followed into. A call that is not known, or whose argument is not a constant, is
a gap; the chain behind it is then not read, because its meaning may hang on what was skipped.
"""

from dataclasses import dataclass

from react_agent.csharp import syntax as cs
from react_agent.csharp.arguments import positional
from react_agent.csharp.builders import (
    Builder,
    Call,
    EntityBuilder,
    ModelBuilder,
    Silent,
)
from react_agent.csharp.configure import configure
from react_agent.csharp.declarations import Declarations
from react_agent.csharp.drafts import ModelDraft
from react_agent.model.gap import Span

_DEEPEST = 24


@dataclass(frozen=True, slots=True)
class _Helper:
    """A method to follow into, and the type it stands in."""

    owner: str
    method: cs.MethodDeclaration


@dataclass(slots=True)
class Follower:
    """Follows configuration code; `depth` stops a helper that calls itself."""

    draft: ModelDraft
    declarations: Declarations
    depth: int = 0

    def context(self, name: str) -> None:
        """Follow a context's `OnModelCreating`, its bases' included where they are called."""
        for declared in reversed(self.declarations.lineage(name)):
            found = _method(declared, "OnModelCreating")
            if found is not None and found.parameters:
                self._enter(_Helper(declared.name, found), {found.parameters[0].name: ModelBuilder()})
                return

    def _enter(self, helper: _Helper, names: dict[str, Builder]) -> Builder:
        if helper.method.body is None or self.depth >= _DEEPEST:
            self.draft.refuse(helper.method.name, "this method cannot be followed", helper.method.span)
            return Silent()
        self.depth += 1
        result: Builder = Silent()
        for statement in helper.method.body.statements:
            result = self._statement(statement, names, helper.owner)
        self.depth -= 1
        return result

    def _statement(self, node: cs.Statement, names: dict[str, Builder], owner: str) -> Builder:
        """Follow one statement; its value is that of a `return`."""
        match node:
            case cs.Evaluate(expression=expression) | cs.Return(value=expression) if expression is not None:
                return self._value(expression, names, owner)
            case cs.LocalVariable(name=name, value=value) if value is not None:
                names[name] = self._value(value, names, owner)
            case cs.Block(statements=inner):
                for statement in inner:
                    self._statement(statement, names, owner)
            case cs.Return():
                pass
            case cs.Opaque(construct=construct, span=span):
                self.draft.refuse(construct, "configuration is read as straight calls only", span)
            case _:
                reason = "configuration that depends on a condition or loop is not read"
                self.draft.refuse(type(node).__name__, reason, node.span)
        return Silent()

    def _value(self, node: cs.Expression, names: dict[str, Builder], owner: str) -> Builder:
        match node:
            case cs.Name(name=name) if name in names:
                return names[name]
            case cs.Invocation(function=cs.Access(target=cs.Name(name="base"), name=called), arguments=arguments):
                return self._base(called, arguments, names, owner)
            case cs.Invocation(function=cs.Access(target=target, name=called, arguments=types)):
                return self._call(node, target, called, types, names, owner)
            case cs.Invocation(function=cs.Name(name=called)):
                return self._helper(called, None, node, names, owner)
            case cs.Assignment(left=cs.Name(name=name), right=right, operator="="):
                names[name] = self._value(right, names, owner)
                return names[name]
            case cs.Assignment(left=left):
                return self._metadata(left, node.span)
            case cs.Literal() | cs.TypeOf() | cs.Collection() | cs.Anonymous():
                return Silent()
        self.draft.refuse("OnModelCreating", "this expression is not a call on a builder", node.span)
        return Silent()

    def _metadata(self, left: cs.Expression, span: Span) -> Builder:
        construct = left.name if isinstance(left, cs.Access) else "assignment"
        self.draft.refuse(construct, "the model's metadata is set directly; only builder calls are read", span)
        return Silent()

    def _base(self, called: str, arguments: tuple[cs.Argument, ...], names: dict[str, Builder], owner: str) -> Builder:
        """Follow `base.OnModelCreating(…)` into a declared base context; `DbContext`'s own does nothing."""
        for declared in reversed(self.declarations.lineage(owner)[:-1]):
            found = _method(declared, called)
            if found is not None:
                values = [self._value(a.value, names, owner) for a in arguments]
                inner = dict(zip((p.name for p in found.parameters), values, strict=False))
                self._enter(_Helper(declared.name, found), inner)
                break
        return Silent()

    def _call(
        self,
        node: cs.Invocation,
        target: cs.Expression,
        called: str,
        types: tuple[cs.TypeRef, ...],
        names: dict[str, Builder],
        owner: str,
    ) -> Builder:
        named = isinstance(target, cs.Name) and target.name not in names
        if named and isinstance(target, cs.Name) and target.name in {"this", *self.declarations.types}:
            inside = owner if target.name == "this" else target.name
            return self._helper(called, inside, node, names, owner)
        receiver = self._value(target, names, owner)
        if isinstance(receiver, Silent):
            return receiver
        if isinstance(receiver, ModelBuilder) and called.startswith("ApplyConfiguration"):
            self._apply(called, node)
            return receiver
        extension = self._extension(called)
        if extension is not None:
            result = self._enter(extension, self._bound(extension, [receiver], node.arguments, names, owner))
            return receiver if isinstance(result, Silent) else result
        call = Call(node=node, name=called, types=types, draft=self.draft, declarations=self.declarations)
        return configure(receiver, call, lambda inner, builder: self._nested(inner, builder, names, owner))

    def _nested(self, node: cs.Expression | None, builder: Builder, names: dict[str, Builder], owner: str) -> None:
        """Follow `entity => { … }` with its parameter bound to a builder."""
        if isinstance(node, cs.Lambda) and len(node.parameters) == 1:
            inner = {**names, node.parameters[0]: builder}
            if isinstance(node.body, cs.Block):
                self._statement(node.body, inner, owner)
            else:
                self._value(node.body, inner, owner)
        elif isinstance(node, cs.Name):
            found = _method(self.declarations.types[owner], node.name) if owner in self.declarations.types else None
            if found is None or not found.parameters:
                self.draft.refuse(node.name, "this method is not declared in the sources", node.span)
            else:
                self._enter(_Helper(owner, found), {found.parameters[0].name: builder})
        elif node is not None:
            self.draft.refuse("configuration", "expected a lambda or a method", node.span)

    def _helper(
        self, called: str, inside: str | None, node: cs.Invocation, names: dict[str, Builder], owner: str
    ) -> Builder:
        for declared in reversed(self.declarations.lineage(inside or owner)):
            found = _method(declared, called, len(node.arguments))
            if found is not None:
                helper = _Helper(declared.name, found)
                return self._enter(helper, self._bound(helper, [], node.arguments, names, owner))
        self.draft.refuse(called, "this method is not declared in the sources", node.span)
        return Silent()

    def _bound(
        self,
        helper: _Helper,
        first: list[Builder],
        arguments: tuple[cs.Argument, ...],
        names: dict[str, Builder],
        owner: str,
    ) -> dict[str, Builder]:
        values = first + [self._value(a.value, names, owner) for a in arguments]
        return dict(zip((p.name for p in helper.method.parameters), values, strict=False))

    def _extension(self, called: str) -> _Helper | None:
        for declared in self.declarations.types.values():
            found = _method(declared, called)
            if found is not None and found.parameters and "this" in found.parameters[0].modifier.split():
                return _Helper(declared.name, found)
        return None

    def _apply(self, called: str, node: cs.Invocation) -> None:
        if called == "ApplyConfigurationsFromAssembly":
            for declared in list(self.declarations.types.values()):
                if any(b.name == "IEntityTypeConfiguration" for b in declared.bases):
                    self._configuration(declared)
            return
        made = positional(node.arguments, 0)
        declared = self.declarations.types.get(made.type.name) if isinstance(made, cs.Creation) and made.type else None
        if declared is None:
            self.draft.refuse(called, "the configuration class is not declared in the sources", node.span)
        else:
            self._configuration(declared)

    def _configuration(self, declared: cs.TypeDeclaration) -> None:
        base = next((b for b in declared.bases if b.name == "IEntityTypeConfiguration" and b.arguments), None)
        found = _method(declared, "Configure")
        if base is None or found is None or not found.parameters:
            self.draft.refuse("IEntityTypeConfiguration", f"`{declared.name}` has no Configure method", declared.span)
            return
        entity = self.draft.entity(base.arguments[0].name, declared.span)
        self._enter(_Helper(declared.name, found), {found.parameters[0].name: EntityBuilder(entity)})


def _method(declared: cs.TypeDeclaration, name: str, count: int | None = None) -> cs.MethodDeclaration | None:
    methods = [m for m in declared.members if isinstance(m, cs.MethodDeclaration) and m.name == name]
    if count is not None:
        methods = [m for m in methods if len(m.parameters) == count]
    return methods[0] if len(methods) == 1 else None
