"""Statements: steps of a pipeline that a method puts together, with the conditions under which each is taken."""

from dataclasses import replace

from react_agent.spring.java import STEP, Prefixed, call, lay_out, statement
from react_agent.spring.mongodb.fluent import write_stage
from react_agent.spring.mongodb.stages import Stage, Step, When
from react_agent.spring.mongodb.values import Values


def added(step: Step, values: Values, indent: str) -> list[str]:
    """Write the statements that add a step to `stages`."""
    if not isinstance(step, When):
        return [statement(call("stages.add", write_stage(step, values.imports)), indent)]
    ways = [*(steps for _, steps in step.branches), step.otherwise]
    if step.subject and all(len(steps) == 1 and not isinstance(steps[0], When) for steps in ways):
        return _switched(step, values, indent)
    if not step.branches[0][1] and (step.otherwise or len(step.branches) > 1):
        return _unless(step, values, indent)
    lines: list[str] = []
    keyword = "if"
    for condition, steps in step.branches:
        lines.append(f"{indent}{keyword} ({bare(condition)}) {{")
        for inner in steps:
            lines += added(inner, values, indent + STEP)
        keyword = "} else if"
    if step.otherwise:
        lines.append(f"{indent}}} else {{")
        for inner in step.otherwise:
            lines += added(inner, values, indent + STEP)
    return [*lines, f"{indent}}}"]


def _unless(step: When, values: Values, indent: str) -> list[str]:
    """`if (empty) {} else { … }` reads better as `if (!empty) { … }`."""
    (condition, _), *rest = step.branches
    inner: tuple[Step, ...] = (replace(step, branches=tuple(rest), cases=step.cases[1:]),) if rest else step.otherwise
    lines = [f"{indent}if ({_opposite(condition)}) {{"]
    for one in inner:
        lines += added(one, values, indent + STEP)
    return [*lines, f"{indent}}}"]


def _opposite(condition: str) -> str:
    plain = bare(condition)
    if plain.endswith((".isEmpty()", ".isBlank()")) and " == null || " in plain:
        return plain.replace(" == null || ", " != null && !", 1)
    if plain.isidentifier():
        return f"!{plain}"
    return f"!({plain})"


def bare(condition: str) -> str:
    """Take off parentheses that go around the whole condition."""
    if not (condition.startswith("(") and condition.endswith(")")):
        return condition
    depth = 0
    for at, character in enumerate(condition):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0 and at < len(condition) - 1:
            return condition
    return condition[1:-1]


def _switched(step: When, values: Values, indent: str) -> list[str]:
    lines = [f"{indent}stages.add(switch ({step.subject}) {{"]
    for case, (_, steps) in zip(step.cases, step.branches, strict=True):
        lines.append(_case(f"case {case}", steps[0], values, indent))
    lines.append(_case("case null, default", step.otherwise[0], values, indent))
    return [*lines, f"{indent}}});"]


def _case(label: str, step: Step, values: Values, indent: str) -> str:
    assert not isinstance(step, When)
    stage: Stage = step
    inner = indent + STEP
    return (
        inner + lay_out(Prefixed(prefix=f"{label} -> ", body=write_stage(stage, values.imports)), inner, after=1) + ";"
    )
