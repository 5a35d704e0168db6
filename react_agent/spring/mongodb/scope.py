"""Scope: where each range variable's row lies in the pipeline's documents, and the `$lookup`s that bring it there."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from react_agent.model.documents import Document, DocumentModel, Embedded, Field
from react_agent.model.mapping import EntityType, ForeignKey, MappingModel, Navigation
from react_agent.model.names import camel
from react_agent.model.query import Cast, Expression, Member, Var
from react_agent.spring.mongodb.operators import Node, Path, op
from react_agent.spring.mongodb.refusal import Untranslatable
from react_agent.spring.mongodb.stages import (
    ExpressionMatch,
    Lookup,
    LookupPipeline,
    Match,
    ReplaceRoot,
    Stage,
    Step,
    Unwind,
    When,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an entity's document lies: the root (`prefix` empty), a field, or an array element (`inside`).

    An element that was looked up has a `level`, the `$lookup`s around it from the outermost: what it refers to is
    looked up there. `each` is what stands for the element itself in `prefix`.
    """

    prefix: str
    entity: EntityType
    document: Document
    nullable: bool = False
    inside: bool = False
    level: tuple[str, ...] = ()
    each: str = ""

    def at(self, name: str) -> str:
        """Name a field below."""
        return f"{self.prefix}.{name}" if self.prefix else name

    def local(self, name: str) -> str:
        """Name a field below as the `$lookup` around it does."""
        return self.at(name).removeprefix(f"{self.each}.") if self.each else self.at(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """A stored value; `nullable` also where the document around it may be missing."""

    path: str
    field: Field
    nullable: bool
    inside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Many:
    """An array of documents: a looked-up collection or an embedded one."""

    path: str
    entity: EntityType
    document: Document
    inside: bool = False
    key: tuple[tuple[str, ...], str, str] | None = None
    """The navigation that was looked up, where it was."""
    level: tuple[str, ...] = ()
    """The `$lookup`s that an element stands in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """A value made by an earlier stage; `members` where it is an object of such values."""

    node: Node
    nullable: bool
    members: "tuple[tuple[str, Computed], ...]" = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """The rows of a group: `key` is its value; `segment` collects what is folded over them."""

    key: Computed
    segment: "Grouped"


Binding = Place | Scalar | Many | Computed | Grouping


@dataclass(slots=True)
class Grouped:
    """What stands before a group and is folded over by it: the scope of its rows, its accumulators so far."""

    scope: "Scope"
    element: Expression
    accumulators: list  # of stages.Accumulator; filled while the clauses after the group are read


@dataclass(slots=True)
class Scope:
    """The variables in reach and the steps so far; a `$lookup` is added when something first needs it."""

    mapping: MappingModel
    documents: DocumentModel
    steps: list[Step] = field(default_factory=list)
    bindings: dict[str, Binding] = field(default_factory=dict)
    joined: dict[tuple[tuple[str, ...], str, str], str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    unwound: set[str] = field(default_factory=set)

    def document_of(self, name: str) -> tuple[EntityType, Document]:
        """Look up an entity with its document.

        Raises:
            Untranslatable: the entity is not stored.
        """
        entity = self.mapping.find(name)
        document = self.documents.find(entity.name) if entity else None
        if entity is None or document is None:
            raise Untranslatable(name, f"{name} has no document, see its own gap", "S19")
        return entity, document

    def start(self, variable: str, entity_name: str) -> Document:
        """Bind the variable of the root set."""
        entity, document = self.document_of(entity_name)
        if document.collection is None:
            raise Untranslatable(entity_name, "a set of parts that live inside other documents", "S15")
        self.bindings[variable] = Place(prefix="", entity=entity, document=document)
        self.taken |= {f.field.partition(".")[0] for f in document.fields} | {e.field for e in document.embedded}
        return document

    def resolve(self, expression: Expression) -> Binding | None:
        """Find where an expression's value lies; None for what is computed."""
        match expression:
            case Var():
                if expression.name not in self.bindings:
                    raise Untranslatable(expression.name, "the variable is not in reach of this clause", "Q27")
                return self.bindings[expression.name]
            case Member():
                target = self.resolve(expression.target)
                return None if target is None else self._member(target, expression)
            case Cast() if self._keeps(expression):
                return self.resolve(expression.operand)
        return None

    def _keeps(self, expression: Cast) -> bool:
        """`(int?)x`, `x.Value` and a cast between entity types change nothing that is stored."""
        return expression.operand.type.name == expression.type.name

    def _member(self, target: Binding, expression: Member) -> Binding | None:
        match target:
            case Place():
                return self._of_place(target, expression)
            case Computed(members=members):
                found = next((value for name, value in members if name == expression.name), None)
                if found is None:
                    raise Untranslatable(expression.name, "a member of a computed value", "Q29")
                return found
            case Grouping() if expression.name == "Key":
                return target.key
        raise Untranslatable(expression.name, "a member of a collection", "Q39")

    def _of_place(self, place: Place, expression: Member) -> Binding:
        name = expression.name
        stored = place.document.find(name)
        if stored is not None:
            nullable = stored.nullable or place.nullable
            return Scalar(path=place.at(stored.field), field=stored, nullable=nullable, inside=place.inside)
        part = next((e for e in place.document.embedded if e.navigation == name), None)
        if part is not None:
            return self._part(place, part)
        return self.follow(place, name)

    def _part(self, place: Place, part: Embedded) -> Binding:
        entity, document = self.document_of(part.entity)
        path = place.at(part.field)
        if not part.many:
            nullable = part.nullable or place.nullable
            return Place(prefix=path, entity=entity, document=document, nullable=nullable, inside=place.inside)
        if path in self.unwound:
            raise Untranslatable(part.navigation, "the owned collection is already ranged over", "Q19")
        return Many(path=path, entity=entity, document=document, inside=place.inside)

    def follow(self, place: Place, name: str) -> Binding:
        """Follow a navigation by its name."""
        navigation = place.entity.find_navigation(name)
        if navigation is None:
            raise Untranslatable(name, f"{place.entity.clr_name}.{name} is not mapped", "S39")
        return self._join(place, navigation)

    def _join(self, place: Place, navigation: Navigation) -> Binding:
        if place.inside and not place.level:
            raise Untranslatable(navigation.name, "a navigation from an element of an embedded collection", "Q19")
        entity, document = self.document_of(navigation.target)
        if document.collection is None:
            raise Untranslatable(navigation.name, f"{navigation.target} lives inside its owner", "S14")
        key = (place.level, place.local(""), navigation.name)
        into = self.joined.get(key)
        if into is None:
            into = self._fresh(camel(navigation.name)) if not place.level else self._fresh_at(place, navigation.name)
            self.joined[key] = into
            steps: list[Stage] = [self._looked_up(place, navigation, document, into)]
            if not navigation.collection:
                steps.append(Unwind(path=into, keep=self._optional(place, navigation)))
            self._put(place.level, steps, navigation)
        path = f"{place.each}.{into}" if place.each else into
        if navigation.collection:
            level = (*place.level, into)
            return Many(path=path, entity=entity, document=document, inside=place.inside, key=key, level=level)
        return Place(
            prefix=path,
            entity=entity,
            document=document,
            nullable=self._optional(place, navigation),
            inside=place.inside,
            level=place.level,
            each=place.each,
        )

    def _put(self, level: tuple[str, ...], stages: Sequence[Stage], navigation: Navigation) -> None:
        """Add stages to the pipeline, or to the `$lookup` that brings the elements they are for."""
        if not level:
            self.steps += stages
            return
        inside = _with_stages(self.steps, level, stages)
        if inside is None:
            raise Untranslatable(navigation.name, "a navigation from an element that was looked up elsewhere", "Q19")
        self.steps[:] = inside

    def _fresh_at(self, place: Place, wanted: str) -> str:
        """Name what is looked up for an element unlike the fields that it has."""
        used = {f.field.partition(".")[0] for f in place.document.fields} | {e.field for e in place.document.embedded}
        used |= {into for (level, _, _), into in self.joined.items() if level == place.level}
        return next(n for n in (camel(wanted), *(f"{camel(wanted)}{at}" for at in range(2, 99))) if n not in used)

    @staticmethod
    def _optional(place: Place, navigation: Navigation) -> bool:
        return place.nullable or not (navigation.required and navigation.on_dependent)

    def _fresh(self, name: str) -> str:
        unique, at = name, 2
        while unique in self.taken:
            unique, at = f"{name}{at}", at + 1
        self.taken.add(unique)
        return unique

    def _looked_up(self, place: Place, navigation: Navigation, target: Document, into: str) -> Lookup | LookupPipeline:
        if navigation.many_to_many is not None:
            return self._over_links(place, navigation, target, into)
        pairs = self._pairs(place, navigation, target)
        if len(pairs) == 1:
            (local, foreign) = pairs[0]
            return Lookup(collection=target.collection or "", local=local, foreign=foreign, into=into)
        return matching(target, pairs, into)

    def chosen(self, place: Place, navigation: Navigation, stages: tuple[Stage, ...]) -> Many:
        """Bring a collection through stages of its own: filtered, in an order, cut; the database does it."""
        if place.inside or not navigation.collection:
            raise Untranslatable(navigation.name, "an ordered navigation from an element of a collection", "Q18")
        entity, document = self.document_of(navigation.target)
        into = self._fresh(camel(navigation.name))
        if navigation.many_to_many is not None:
            found = self._over_links(place, navigation, document, into)
        else:
            found = matching(document, self._pairs(place, navigation, document), into)
        self.steps.append(replace(found, stages=(*found.stages, *stages)))
        return Many(path=into, entity=entity, document=document, level=(into,))

    def first_of(self, many: Many) -> Place:
        """Take the one element of a collection that was cut to one, where there is one."""
        self.steps.append(Unwind(path=many.path, keep=True))
        return Place(prefix=many.path, entity=many.entity, document=many.document, nullable=True)

    def _over_links(self, place: Place, navigation: Navigation, target: Document, into: str) -> LookupPipeline:
        """Go over the join collection and take, for each link, the document it leads to."""
        link, links = self.document_of(navigation.many_to_many or "")
        here = _key_to(link, place.entity.name, navigation.foreign_key)
        there = next((k for k in link.foreign_keys if k is not here and k.principal == navigation.target), None)
        if there is None or len(there.properties) != 1 or links.collection is None:
            raise Untranslatable(navigation.name, "a skip navigation over composite keys", "S10")
        pairs = [
            (place.local(_stored(place.document, mine)), _stored(links, theirs))
            for theirs, mine in zip(here.properties, here.principal_key, strict=True)
        ]
        found = matching(links, pairs, into)
        one = camel(target.java_class)
        local, foreign = _stored(links, there.properties[0]), _stored(target, there.principal_key[0])
        lookup = Lookup(collection=target.collection or "", local=local, foreign=foreign, into=one)
        return replace(found, stages=(*found.stages, lookup, Unwind(path=one), ReplaceRoot(path=one)))

    def _pairs(self, place: Place, navigation: Navigation, target: Document) -> list[tuple[str, str]]:
        """The fields that a navigation compares: here, there."""
        if navigation.on_dependent:
            key = _foreign_key(place.entity, navigation.foreign_key, navigation.target)
            return [
                (place.local(_stored(place.document, mine)), _stored(target, theirs))
                for mine, theirs in zip(key.properties, key.principal_key, strict=True)
            ]
        dependent, _ = self.document_of(navigation.target)
        key = _foreign_key(dependent, navigation.foreign_key, place.entity.name)
        return [
            (place.local(_stored(place.document, mine)), _stored(target, theirs))
            for theirs, mine in zip(key.properties, key.principal_key, strict=True)
        ]

    def unwind(self, many: Many, *, keep: bool) -> Place:
        """Range over a collection: one row per element from here on."""
        if many.inside:
            raise Untranslatable("SelectMany", "over a collection of an array's element", "Q21")
        self.steps.append(Unwind(path=many.path, keep=keep))
        self.unwound.add(many.path)
        if many.key is not None:
            del self.joined[many.key]  # the next use needs its own array
        return Place(prefix=many.path, entity=many.entity, document=many.document, nullable=keep)

    def inner(self, variable: str, many: Many, prefix: str) -> "Scope":
        """Open the scope of a lambda over an array's elements."""
        place = Place(
            prefix=prefix, entity=many.entity, document=many.document, inside=True, level=many.level, each=prefix
        )
        return Scope(
            mapping=self.mapping,
            documents=self.documents,
            steps=self.steps,
            bindings={**self.bindings, variable: place},
            joined=self.joined,
            taken=self.taken,
            unwound=self.unwound,
        )


def _with_stages(steps: Sequence[Step], level: tuple[str, ...], added: Sequence[Stage]) -> list[Step] | None:
    """Put stages into the `$lookup` that a level names; None where it is not among the steps."""
    for at, step in enumerate(steps):
        if not isinstance(step, Lookup | LookupPipeline) or step.into != level[0]:
            continue
        whole = step if isinstance(step, LookupPipeline) else _as_pipeline(step)
        inner = [*whole.stages, *added] if len(level) == 1 else _with_stages(whole.stages, level[1:], added)
        if inner is None:
            return None
        stages = tuple(stage for stage in inner if not isinstance(stage, When))
        return [*steps[:at], replace(whole, stages=stages), *steps[at + 1 :]]
    return None


def _as_pipeline(lookup: Lookup) -> LookupPipeline:
    equal = op("$eq", Path(path=f"${lookup.foreign}"), Path(path="$$key"))
    return LookupPipeline(
        collection=lookup.collection,
        variables=(("key", lookup.local),),
        stages=(Match(criterion=ExpressionMatch(node=equal)),),
        into=lookup.into,
    )


def matching(target: Document, pairs: list[tuple[str, str]], into: str) -> LookupPipeline:
    """Look up what equals in every pair of a field here and a field there."""
    names = ["key"] if len(pairs) == 1 else [f"key{at}" for at in range(1, len(pairs) + 1)]
    tests = [op("$eq", Path(path=f"${p[1]}"), Path(path=f"$${n}")) for n, p in zip(names, pairs, strict=True)]
    condition = tests[0] if len(tests) == 1 else op("$and", *tests)
    return LookupPipeline(
        collection=target.collection or "",
        variables=tuple((n, p[0]) for n, p in zip(names, pairs, strict=True)),
        stages=(Match(criterion=ExpressionMatch(node=condition)),),
        into=into,
    )


def _foreign_key(entity: EntityType, properties: tuple[str, ...], principal: str) -> ForeignKey:
    found = next((k for k in entity.foreign_keys if k.properties == properties and k.principal == principal), None)
    if found is None:
        raise Untranslatable(entity.clr_name, f"no foreign key {', '.join(properties)} to {principal}", "S13")
    return found


def _key_to(link: EntityType, principal: str, properties: tuple[str, ...]) -> ForeignKey:
    keys = [k for k in link.foreign_keys if k.principal == principal]
    exact = next((k for k in keys if k.properties == properties), None)
    if exact is None and len(keys) != 1:
        raise Untranslatable(link.clr_name, f"which key of the join entity leads to {principal} is not clear", "S10")
    return exact or keys[0]


def _stored(document: Document, name: str) -> str:
    found = document.find(name)
    if found is None:
        raise Untranslatable(name, f"{document.java_class} does not hold {name}", "S37")
    return found.field
