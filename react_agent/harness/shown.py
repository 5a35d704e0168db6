"""What the programs show: one telling instance of a suite, and the calls that run on it. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from react_agent.draft import Draft
from react_agent.model.query import QueryMethod
from react_agent.model.translation import EntryPair
from react_agent.model.values import Cell, CellType
from react_agent.proof.calls import Call
from react_agent.proof.instances import Instance
from react_agent.proof.order import Order, order_rule
from react_agent.proof.suite import Suite


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCall:
    """A call as both programs make it. `sorted` rows are printed by their text, as no order is asked for."""

    title: str
    method: QueryMethod
    pair: EntryPair
    args: tuple[tuple[str, Cell], ...]
    sorted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The rows that both programs hold and the calls that they make, in the same order."""

    instance: Instance
    calls: tuple[ShownCall, ...]

    @property
    def pairs(self) -> tuple[EntryPair, ...]:
        """The entries that are called, each once."""
        return tuple({call.pair.entry: call.pair for call in self.calls}.values())


def shown(candidate: Draft, suite: Suite) -> Shown:
    """Choose the instance that says most in one run: a person's own, else boundary values; all its calls."""
    instance = _telling(suite)
    pairs = {pair.entry: pair for pair in candidate.translation.entries}
    calls = [c for c in suite.calls if c.instance == instance.id and f"{c.class_name}.{c.method}" in pairs]
    return Shown(instance=instance, calls=tuple(_shown_calls(candidate, calls, pairs)))


def _shown_calls(candidate: Draft, calls: list[Call], pairs: Mapping[str, EntryPair]) -> Iterator[ShownCall]:
    seen: set[str] = set()
    for call in calls:
        entry = f"{call.class_name}.{call.method}"
        method = candidate.method(entry)
        title = f"{entry}({', '.join(f'{name}: {_said(cell)}' for name, cell in call.args)})"
        if title not in seen:
            seen.add(title)
            unordered = order_rule(method, candidate.mapping, dict(call.args)).order == Order.UNORDERED
            yield ShownCall(title=title, method=method, pair=pairs[entry], args=call.args, sorted=unordered)


def _said(cell: Cell) -> str:
    match cell.type:
        case CellType.NULL:
            return "null"
        case CellType.LIST:
            return f"[{', '.join(map(_said, cell.items))}]"
        case CellType.ENUM:
            return cell.name or cell.text or ""
        case CellType.STRING:
            return f'"{cell.text}"'
    return cell.text or ""


def _telling(suite: Suite) -> Instance:
    for kind in ("user", "boundary", "random"):
        found = next((i for i in suite.instances if i.kind == kind), None)
        if found is not None:
            return found
    return suite.instances[-1]
