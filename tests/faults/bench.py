"""Put faults into a written project, run them all in one JVM, and see what the judge says of each."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from react_agent.assess import pairs_of
from react_agent.context import Context
from react_agent.draft import Draft, draft
from react_agent.harness.jobs import target_call, target_instances
from react_agent.model.translation import EntryPair, SourceFile
from react_agent.proof.calls import Call
from react_agent.proof.capabilities import source_deviations
from react_agent.proof.compare import DifferenceKind, compare
from react_agent.proof.envelopes import Envelope
from react_agent.proof.suite import Suite, make_suite
from react_agent.proof.vacuity import Vacuity, observe
from react_agent.proof.verdict import Evidence, Verdict, decide
from react_agent.prove import Finding, differences, rule_of
from react_agent.runs import Runs, by_call
from react_agent.sandbox.protocol import Job, JobRefused, SandboxType
from react_agent.workbench import open_source, sandbox_of
from tests.faults.java import JavaMethod, methods_of, with_method
from tests.faults.kinds import METHOD_KINDS, PROJECT_KINDS

FIRST_CALLS = 24
AT_ONCE = 4000
LONG_SEARCH = 3
"""How many further suites a fault is run on that the proof's own suite did not show."""


class Fate(StrEnum):
    """What became of a fault."""

    CAUGHT = "caught"
    UNDECIDED = "undecided"
    NO_CHANGE = "no change"
    MISSED = "missed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault in one place: the classes that hold it, and the entries that it concerns."""

    kind: str
    name: str
    files: tuple[SourceFile, ...]
    pairs: tuple[EntryPair, ...]
    line: str
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fated:
    """A fault and its fate; `why` holds the verdict's reason, or the call that tells it apart."""

    fault: Fault
    fate: Fate
    entry: str
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What became of a layer's faults; `wrong` are entries whose translation differs as it is, which take no part."""

    fates: tuple[Fated, ...]
    wrong: Mapping[str, str]


@dataclass(slots=True, kw_only=True)
class Bench:
    """A written project with its suite, its source's answers, and a JVM to run variants in."""

    candidate: Draft
    suite: Suite
    source: Mapping[str, Envelope]
    job: Job
    seed: int
    engine: Mapping[str, Any] = field(default_factory=dict)
    observed: dict[str, Vacuity] = field(default_factory=dict)
    more: dict[int, Suite] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    original: dict[tuple[int, str], Mapping[str, Envelope]] = field(default_factory=dict)

    async def answers(
        self, pairs: Sequence[tuple[str, EntryPair, Sequence[Call]]], suite: Suite
    ) -> dict[str, Envelope]:
        """Run calls on Java methods, by `name|call`; all calls of an instance one after the other."""
        asked = [(f"{name}|{call.id}", pair, call) for name, pair, calls in pairs for call in calls]
        asked.sort(key=lambda one: one[2].instance)
        found: dict[str, Envelope] = {}
        for at in range(0, len(asked), AT_ONCE):
            part = asked[at : at + AT_ONCE]
            needed = {call.instance for _, _, call in part}
            instances = [i for i in suite.instances if i.id in needed]
            translation = self.candidate.translation
            request = {
                "configuration": translation.configuration,
                "instances": target_instances(instances, self.candidate.mapping, translation),
                "calls": [target_call(call, pair, name) for name, pair, call in part],
            }
            answer = await self.job.request("run", request, timeout=300)
            self.engine = answer["engine"]
            found |= by_call("target", answer["envelopes"], [name for name, _, _ in part])
        return found

    def verdict(self, entry: str, calls: Sequence[Call], target: Mapping[str, Envelope]) -> tuple[Verdict, str]:
        """The judge's verdict on these answers of an entry."""
        draft_, suite = self.candidate, self.suite
        rules = {c.id: rule_of(draft_, c, suite.instance(c.instance), self.source[c.id]) for c in calls}
        runs = Runs(source=self.source, target=target, engines={"source": {}, "target": self.engine})
        found = differences(calls, runs, rules)
        finding = Finding(entry=entry, calls=tuple(calls), rules=rules, differences=found)
        method = draft_.method(entry)
        if entry not in self.observed:
            every = suite.of(method)
            followed = [(suite.instance(c.instance).tables, dict(c.args)) for c in every]
            self.observed[entry] = observe(method, draft_.mapping, followed, tuple(self.source[c.id] for c in every))
        evidence = Evidence(
            entry=entry,
            pairs=pairs_of(draft_, finding, suite, runs),
            vacuity=self.observed[entry],
            deviations=source_deviations(method),
        )
        made = decide(evidence)
        return made.verdict, made.reason

    def suites(self) -> Iterator[tuple[int, Suite]]:
        """Further suites, with seeds of their own."""
        methods = [self.candidate.method(pair.entry) for pair in self.candidate.translation.entries]
        for at in range(1, LONG_SEARCH + 1):
            number = self.seed + 1000 * at
            if number not in self.more:
                self.more[number] = make_suite(self.candidate.mapping, self.candidate.reading.queries, methods, number)
            yield number, self.more[number]


def faults_of(candidate: Draft, kinds: Sequence[str] = ()) -> list[Fault]:
    """Every fault that fits the written Java, each once."""
    translation = candidate.translation
    methods = [
        method
        for file in translation.files
        for method in methods_of(
            file,
            translation.entries,
            candidate.reading.queries.methods,
            translation.documents,
            frozenset(e.name for e in candidate.mapping.enums),
        )
    ]
    found: dict[str, Fault] = {}
    for kind, edit in METHOD_KINDS.items():
        for method, text in ((m, t) for m in methods if not kinds or kind in kinds for t in edit(m)):
            if text != method.text:
                found.setdefault(f"{method.pair.entry}\n{text}", _fault(len(found), kind, method, text))
    return [*found.values(), *_project_faults(candidate, kinds)]


def _project_faults(candidate: Draft, kinds: Sequence[str]) -> Iterator[Fault]:
    right = candidate.translation.files
    for kind, change in PROJECT_KINDS.items():
        for at, files in enumerate(change(right) if not kinds or kind in kinds else ()):
            changed = next(f for f, old in zip(files, right, strict=True) if f.text != old.text)
            yield Fault(
                kind=kind,
                name=f"{kind} {at}",
                files=files,
                pairs=candidate.translation.entries,
                line=changed.path.rsplit("/", 1)[-1],
                whole=True,
            )


def _fault(at: int, kind: str, method: JavaMethod, text: str) -> Fault:
    simple = method.pair.java_class.rsplit(".", 1)[-1]
    name = f"{simple}Fault{at}"
    pair = replace(method.pair, java_class=method.pair.java_class.removesuffix(simple) + name)
    old, new = method.text.split("\n"), text.split("\n")
    first = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
    return Fault(kind=kind, name=name, files=(with_method(method, text, name),), pairs=(pair,), line=new[first].strip())


async def fates(files: Sequence[SourceFile], seed: int, kinds: Sequence[str] = (), part: slice = slice(None)) -> Told:
    """Tell the fate of every fault in a layer, or of a part of them."""
    candidate, suite, source = await _asked(files, seed)
    java = await sandbox_of(SandboxType.JAVA_25_SANDBOX, Context())
    async with java.job(approved=True) as job:
        bench = Bench(candidate=candidate, suite=suite, source=source, job=job, seed=seed)
        found = faults_of(candidate, kinds)[part]
        compiled = await _compile(bench, [f for f in found if not f.whole])
        right = await _right_entries(bench)
        told = await _method_faults(bench, [f for f in compiled if f.pairs[0].entry in right])
        for fault in (f for f in found if f.whole):
            told += await _project_fault(bench, fault, right)
        return Told(fates=tuple(told), wrong=bench.wrong)


async def _asked(files: Sequence[SourceFile], seed: int) -> tuple[Draft, Suite, dict[str, Envelope]]:
    """Write a layer's Java, make its suite, and ask EF Core for the right answers."""
    source = await open_source(files, Context())
    try:
        first = draft(files)
        candidate = draft(files, mapping=await source.describe(first.mapping.context))
        methods = [candidate.method(pair.entry) for pair in candidate.translation.entries]
        suite = make_suite(candidate.mapping, candidate.reading.queries, methods, seed)
        ran = await source.run(
            candidate.mapping.context,
            [{"id": i.id, "tables": i.to_json()["tables"]} for i in suite.instances],
            [call.to_json() for call in suite.calls],
        )
    finally:
        await source.close()
    return candidate, suite, by_call("source", ran.envelopes, [call.id for call in suite.calls])


async def _compile(bench: Bench, found: list[Fault]) -> list[Fault]:
    """Compile the project with all faults beside it; a fault that does not compile is none."""
    left = found
    while True:
        files = [*bench.candidate.translation.files, *(file for fault in left for file in fault.files)]
        sources = [{"path": f.path, "text": f.text} for f in files if f.path.endswith(".java")]
        try:
            await bench.job.request("compile", {"sources": sources, "release": bench.candidate.release}, timeout=300)
        except JobRefused as refused:
            broken = {str(d.file).rsplit("/", 1)[-1].removesuffix(".java") for d in refused.diagnostics}
            kept = [fault for fault in left if fault.name not in broken]
            if len(kept) == len(left):
                raise
            left = kept
            continue
        return left


async def _right_entries(bench: Bench) -> dict[str, Verdict]:
    """The entries whose right translation shows no difference, with their verdicts."""
    found = {}
    for pair in bench.candidate.translation.entries:
        calls = bench.suite.of(bench.candidate.method(pair.entry))
        target = _plain(await bench.answers([("", pair, calls)], bench.suite), "")
        verdict, reason = bench.verdict(pair.entry, calls, target)
        if verdict == Verdict.DIFFERENT:
            bench.wrong[pair.entry] = reason
        else:
            found[pair.entry] = verdict
    return found


def _plain(answers: Mapping[str, Envelope], name: str) -> dict[str, Envelope]:
    return {key.split("|", 1)[1]: e for key, e in answers.items() if key.split("|", 1)[0] == name}


async def _method_faults(bench: Bench, faults: Sequence[Fault]) -> list[Fated]:
    told: list[Fated] = []
    alive, agreed = list(faults), []
    kept: dict[str, dict[str, Envelope]] = {fault.name: {} for fault in faults}
    for is_first in (True, False):
        batch = [(f.name, f.pairs[0], _spread(bench, f.pairs[0], first=is_first)) for f in alive]
        answers = await bench.answers(batch, bench.suite)
        for name, envelope in answers.items():
            kept[name.split("|", 1)[0]][name.split("|", 1)[1]] = envelope
        still = []
        for fault in alive:
            entry = fault.pairs[0].entry
            calls = [c for c in bench.suite.of(bench.candidate.method(entry)) if c.id in kept[fault.name]]
            verdict, reason = bench.verdict(entry, calls, kept[fault.name])
            if verdict == Verdict.DIFFERENT:
                told.append(Fated(fault=fault, fate=Fate.CAUGHT, entry=entry, why=reason))
            elif is_first:
                still.append(fault)
            elif verdict == Verdict.EQUIVALENT_ON_SUITE:
                agreed.append(fault)
            else:
                told.append(Fated(fault=fault, fate=Fate.UNDECIDED, entry=entry, why=f"{verdict}: {reason}"))
        alive = still
    return told + await _searched(bench, agreed)


def _spread(bench: Bench, pair: EntryPair, *, first: bool) -> list[Call]:
    calls = bench.suite.of(bench.candidate.method(pair.entry))
    ordered = sorted(calls, key=lambda c: (bench.source[c.id].outcome == "none", c.id))
    spread = ordered[:: max(1, len(ordered) // FIRST_CALLS)][:FIRST_CALLS]
    return spread if first else [c for c in ordered if c not in spread]


async def _searched(bench: Bench, faults: Sequence[Fault]) -> list[Fated]:
    """Whether faults that the suite did not show change any result at all, by a longer search."""
    told: list[Fated] = []
    alive = list(faults)
    for number, suite in bench.suites():
        if not alive:
            break
        batch = [(f.name, f.pairs[0], suite.of(bench.candidate.method(f.pairs[0].entry))) for f in alive]
        await _originals(bench, number, suite, {f.pairs[0].entry for f in alive})
        answers = await bench.answers(batch, suite)
        shown = {f.name: _told_apart(bench, (number, suite), f.pairs[0].entry, _plain(answers, f.name)) for f in alive}
        told += [
            Fated(fault=f, fate=Fate.MISSED, entry=f.pairs[0].entry, why=why) for f in alive if (why := shown[f.name])
        ]
        alive = [f for f in alive if not shown[f.name]]
    return told + [Fated(fault=f, fate=Fate.NO_CHANGE, entry=f.pairs[0].entry) for f in alive]


async def _originals(bench: Bench, number: int, suite: Suite, entries: Collection[str]) -> None:
    """Ask the right translation for its answers on a further suite, once."""
    pairs = [
        p for p in bench.candidate.translation.entries if p.entry in entries and (number, p.entry) not in bench.original
    ]
    if pairs:
        batch = [(p.entry, p, suite.of(bench.candidate.method(p.entry))) for p in pairs]
        answers = await bench.answers(batch, suite)
        for pair in pairs:
            bench.original[number, pair.entry] = _plain(answers, pair.entry)


def _told_apart(bench: Bench, where: tuple[int, Suite], entry: str, answers: Mapping[str, Envelope]) -> str:
    """The first call on which answers differ from the right translation's; empty where none does."""
    number, suite = where
    original = bench.original[number, entry]
    for call in suite.of(bench.candidate.method(entry)):
        rule = rule_of(bench.candidate, call, suite.instance(call.instance), original[call.id])
        found = compare(original[call.id], answers[call.id], rule)
        if found is not None and found.kind != DifferenceKind.UNDETERMINED:
            return f"seed {number}, {call.id}: {found.message}"
    return ""


async def _project_fault(bench: Bench, fault: Fault, right: Mapping[str, Verdict]) -> list[Fated]:
    """A fault of a whole project: it is caught where any entry shows it."""
    sources = [{"path": f.path, "text": f.text} for f in fault.files if f.path.endswith(".java")]
    try:
        await bench.job.request("compile", {"sources": sources, "release": bench.candidate.release}, timeout=300)
        pairs = [pair for pair in fault.pairs if pair.entry in right]
        batch = [("", pair, bench.suite.of(bench.candidate.method(pair.entry))) for pair in pairs]
        answers = _plain(await bench.answers(batch, bench.suite), "")
    except JobRefused:
        return []
    told = []
    for pair in pairs:
        calls = bench.suite.of(bench.candidate.method(pair.entry))
        verdict, reason = bench.verdict(pair.entry, calls, answers)
        if verdict == Verdict.DIFFERENT:
            return [Fated(fault=fault, fate=Fate.CAUGHT, entry=pair.entry, why=reason)]
        told.append((pair.entry, verdict, reason))
    return [await _searched_project(bench, fault, told)]


async def _searched_project(bench: Bench, fault: Fault, told: list[tuple[str, Verdict, str]]) -> Fated:
    verdicts = {entry: verdict for entry, verdict, _ in told}
    faulty: dict[int, dict[str, Envelope]] = {}
    for number, suite in bench.suites():
        batch = [("", pair, suite.of(bench.candidate.method(pair.entry))) for pair in fault.pairs]
        faulty[number] = _plain(await bench.answers(batch, suite), "")
    await _compile(bench, [])
    for number, suite in bench.suites():
        await _originals(bench, number, suite, set(verdicts))
        for entry, verdict in verdicts.items():
            if why := _told_apart(bench, (number, suite), entry, faulty[number]):
                fate = Fate.MISSED if verdict == Verdict.EQUIVALENT_ON_SUITE else Fate.UNDECIDED
                return Fated(fault=fault, fate=fate, entry=entry, why=why)
    return Fated(fault=fault, fate=Fate.NO_CHANGE, entry=fault.pairs[0].entry)
