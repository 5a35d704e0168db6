"""Put every kind of fault into every written project, and say what the judge made of it: `make faults`.

Prints a table by kind and writes docs/faults.md. Names of layers as arguments restrict it to those, and write nothing.
"""

import asyncio
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from react_agent.sandbox.validation import ValidationSandbox  # noqa: E402 - the tests are beside the packages
from tests.faults.bench import Fate, Fated, Told, fates  # noqa: E402
from tests.faults.kinds import METHOD_KINDS, PROJECT_KINDS  # noqa: E402
from tests.faults.layers import layers  # noqa: E402

SEED = 7
KINDS = (*METHOD_KINDS, *PROJECT_KINDS)


async def run(wanted: list[str]) -> dict[str, Told]:
    told: dict[str, Told] = {}
    try:
        for name, files in layers().items():
            if not wanted or any(part in name for part in wanted):
                told[name] = await fates(files, SEED)
                seen = Counter(f.fate.value for f in told[name].fates)
                print(name, dict(seen), *told[name].wrong, flush=True)
    finally:
        await ValidationSandbox.close()
    return told


def table(every: Iterable[Fated]) -> list[str]:
    """The table by kind, with its sum."""
    counts: dict[str, Counter[Fate]] = defaultdict(Counter)
    for fated in every:
        counts[fated.fault.kind][fated.fate] += 1
    lines = [
        "| kind | applied | caught | undecided | no change | missed |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines.extend(_line(kind, counts[kind]) for kind in KINDS)
    lines.append(_line("**all**", sum(counts.values(), Counter())))
    return lines


def _line(kind: str, seen: Counter[Fate]) -> str:
    numbers = (seen.total(), seen[Fate.CAUGHT], seen[Fate.UNDECIDED], seen[Fate.NO_CHANGE], seen[Fate.MISSED])
    return f"| {kind} | {' | '.join(map(str, numbers))} |"


def page(told: dict[str, Told]) -> str:
    every = [f for each in told.values() for f in each.fates]
    live = [f for f in every if f.fate != Fate.NO_CHANGE]
    caught = sum(f.fate == Fate.CAUGHT for f in live)
    missed = [(name, f) for name, each in told.items() for f in each.fates if f.fate == Fate.MISSED]
    unsure = [(name, f) for name, each in told.items() for f in each.fates if f.fate == Fate.UNDECIDED]
    lines = [
        "# Faults",
        "",
        "What the judge makes of wrong translations. Each fault is one edit of Java that was written for a data layer,",
        "of a kind that migrations are known to make; EF Core's answers are right. `make faults` makes this page anew.",
        "",
        "- caught: the verdict is `different`, with rows that show it;",
        "- undecided: the verdict is `undetermined` or `vacuous`, with its reason: the engine cannot judge what was",
        "  sent, or the order of the result is open;",
        "- no change: the judge agrees, and three further suites with other rows and arguments show no other result;",
        "- missed: the judge said `equivalent_on_suite`, and a further suite shows another result.",
        "",
        f"{len(every)} faults in {len(told)} layers; of the {len(live)} that change a result somewhere or may, "
        f"{caught} are caught ({caught / max(1, len(live)):.1%}), {len(unsure)} undecided, {len(missed)} missed.",
        "",
        *table(every),
        "",
        *_named("Missed", missed),
        *_named("Undecided", unsure),
        *_layers(told),
    ]
    return "\n".join(lines)


def _named(title: str, found: list[tuple[str, Fated]]) -> list[str]:
    if not found:
        return []
    lines = [f"## {title}", ""]
    for name, f in found:
        lines += [f"- {f.fault.kind}, {name}, {f.entry}: `{f.fault.line[:110]}`. {f.why}"]
    return [*lines, ""]


def _layers(told: dict[str, Told]) -> list[str]:
    lines = ["## Layers", ""]
    for name, each in told.items():
        wrong = f"; left out, as its translation differs as it is: {', '.join(each.wrong)}" if each.wrong else ""
        lines.append(f"- {name}: {len(each.fates)} faults{wrong}")
    return [*lines, ""]


def main() -> int:
    wanted = sys.argv[1:]
    told = asyncio.run(run(wanted))
    print("\n".join(table(f for each in told.values() for f in each.fates)))
    if not wanted:
        path = ROOT / "docs" / "faults.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(page(told), encoding="utf-8")
    return int(any(f.fate == Fate.MISSED for each in told.values() for f in each.fates))


if __name__ == "__main__":
    sys.exit(main())
