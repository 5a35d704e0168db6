"""The report's JSON has the shape that others read; its page needs nothing from elsewhere."""

import json
from html.parser import HTMLParser

from react_agent.model.documents import Decision
from react_agent.model.gap import Gap, Span
from react_agent.model.translation import SourceFile
from react_agent.proof.verdict import EntryVerdict, MutantScore, Verdict
from react_agent.report import Report, json_text, markdown
from react_agent.report_page import Appendix, report_page

SPAN = Span(file="Q.cs", line=3, column=1, end_line=3, end_column=9)
CELL = {"t": "string", "v": "a|b <i>`x`"}
WITNESS = {
    "call": {"id": "c", "instance": "i", "class": "Q", "method": "Find", "args": [{"name": "name", "value": CELL}]},
    "rows": {"Trees": [{"Id": {"t": "int", "v": "1"}, "Name": CELL}], "Empty": []},
    "difference": {"kind": "rows", "message": "one row is missing", "missing": [0], "extra": [], "table": None},
    "source": {
        "outcome": "rows",
        "row_count": 2,
        "value": {"t": "list", "v": [{"t": "int", "v": "7"}, {"t": "object", "name": "L", "f": {"Kilos": CELL}}]},
        "sql": [{"text": "SELECT 1", "parameters": [{"name": "@name", "value": CELL}]}],
    },
    "target": {
        "outcome": "rows",
        "row_count": 1,
        "value": {"t": "list", "v": [{"t": "int", "v": "7"}]},
        "statements": [{"aggregate": "trees", "pipeline": [{"$match": {"name": "a"}}], "cursor": {}}],
    },
}


def report(*entries: EntryVerdict, gaps: tuple[Gap, ...] = ()) -> Report:
    return Report(
        entries=entries,
        gaps=gaps,
        decisions=(Decision(id="d", question="Which?", chosen="this", reason="because", options=("this", "that")),),
        engines={"source": {"name": "EF Core", "ef": "10"}, "target": {"name": "mongo", "version": "1"}},
        timings={"run": 0.12345},
        seed=7,
    )


EQUAL = EntryVerdict(
    entry="Q.Equal",
    verdict=Verdict.EQUIVALENT_ON_SUITE,
    instances=14,
    calls=80,
    mutants=MutantScore(live=3, killed=2, survivors=("a join became outer",)),
    reservations=("text ignores case there",),
    hazards=("Q01",),
)
DIFFERENT = EntryVerdict(
    entry="Q.Find", verdict=Verdict.DIFFERENT, reason="one row is missing", instances=14, calls=80, witness=WITNESS
)
GAP = Gap(construct="GroupBy", reason="not read", span=SPAN, hazard="Q28")


def test_the_json_has_the_members_that_machines_read():
    found = json.loads(json_text(report(EQUAL, DIFFERENT, gaps=(GAP,)).to_json()))
    assert {"version", "entries", "gaps", "decisions", "engines", "timings"} <= set(found)
    wanted = {"entry", "verdict", "reason", "instances", "mutants", "losses", "reservations", "witness", "hazards"}
    assert all(wanted <= set(entry) for entry in found["entries"])
    assert found["entries"][0]["mutants"] == {"live": 3, "killed": 2, "survivors": ["a join became outer"]}
    assert found["entries"][1]["witness"] == WITNESS
    assert found["timings"] == {"run": 0.123}
    assert found["gaps"][0]["span"]["line"] == 3


def test_the_exit_code_says_the_worst():
    assert report(EQUAL).exit_code == 0
    assert report(EQUAL, DIFFERENT).exit_code == 1
    assert report(EQUAL, EntryVerdict(entry="Q.X", verdict=Verdict.VACUOUS)).exit_code == 3
    assert report(EQUAL, gaps=(GAP,)).exit_code == 3
    assert report().exit_code == 3


def test_a_witness_is_read_as_small_tables():
    text = markdown(report(EQUAL, DIFFERENT, gaps=(GAP,)).to_json())
    lines = text.splitlines()
    assert "| `Q.Equal` | `equivalent_on_suite` | 14 instances, 80 calls; 2 of 3 variants told apart |  |" in lines
    assert '| 1 | "a\\|b &lt;i>`x`" |' in lines
    assert "Rows of Trees:" in lines
    assert not any("Empty" in line for line in lines)
    differing = next(at for at, line in enumerate(lines) if line.startswith("| 2 | {Kilos: "))
    agreeing = lines.index("| 1 | 7 | 7 |")
    assert differing < agreeing, "what differs comes first"
    assert "SELECT 1" in text
    assert '{"$match": {"name": "a"}}' in text
    assert "Q.cs:3: GroupBy: not read [Q28]" in text
    assert '"t": "string"' not in text, "no raw cells"


def test_a_witness_without_rows_says_so():
    bare = WITNESS | {"rows": {"Trees": []}}
    found = EntryVerdict(entry="Q.Find", verdict=Verdict.DIFFERENT, reason="x", witness=bare)
    assert "On an empty database." in markdown(report(found).to_json())


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag not in {"meta", "br"}:
            self.open.append(tag)
        self.loads += [value for name, value in attrs if name in {"src", "href"} and value]
        if tag == "script":
            self.loads.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def page_of(*entries: EntryVerdict, gaps: tuple[Gap, ...] = (), appendix: Appendix | None = None) -> tuple[str, Page]:
    page = report_page(report(*entries, gaps=gaps).to_json(), appendix)
    read = Page()
    read.feed(page)
    return page, read


def test_the_page_stands_alone_and_escapes_what_it_shows():
    page, read = page_of(EQUAL, DIFFERENT, gaps=(GAP,))
    assert read.open == []
    assert [where for where in read.loads if not where.startswith("#")] == []
    assert "@import" not in page
    assert "url(" not in page
    assert "<i>" not in page
    assert "one row is missing" in page
    assert "2 of 3 wrong variants told apart" in page


def test_the_page_leads_to_each_entry_and_names_every_doubt():
    page, read = page_of(EQUAL, DIFFERENT, gaps=(GAP,))
    anchors = {where.removeprefix("#") for where in read.loads}
    assert anchors == {"e-Q-Equal", "e-Q-Find"}
    assert all(f'id="{anchor}"' in page for anchor in anchors)
    assert "1 of 2 entries do not give what the C# gives" in page
    for doubt in ("a join became outer", "text ignores case there", "Q.cs:3", "Which?", "because"):
        assert doubt in page, doubt


def test_only_rows_that_differ_are_marked():
    page, _ = page_of(DIFFERENT)
    assert page.count("<tr class=differs>") == 1
    same = WITNESS | {"target": WITNESS["source"]}
    equal, _ = page_of(EntryVerdict(entry="Q.Find", verdict=Verdict.DIFFERENT, reason="x", witness=same))
    assert "<tr class=differs>" not in equal


def test_a_page_of_proven_entries_says_so_and_shows_how_to_run_them_again():
    java = SourceFile(path="src/Q.java", text="class Q { List<String> all; }")
    page, read = page_of(EQUAL, appendix=Appendix(target=(java,), again=("uom prove 'a b' --against OUT",)))
    assert read.open == []
    assert "All 1 entries gave the same" in page
    assert "List&lt;String&gt;" in page
    assert "uom prove &#x27;a b&#x27; --against OUT" in page
    assert "<code>7</code>" in page
    with_gap, _ = page_of(EQUAL, gaps=(GAP,))
    assert "All 1 entries" not in with_gap
