import pytest

from react_agent.model.query import Change, ChangeKind
from tests.react_agent.csharp.forms import text
from tests.react_agent.csharp.sources import entry


def commands(body: str) -> tuple[Change, ...]:
    reading = entry(body)
    assert [str(g) for g in reading.gaps] == []
    return reading.queries.methods[0].changes


@pytest.mark.parametrize(
    ("setters", "read"),
    [
        ('s => s.SetProperty(i => i.Label, "x")', [("Label", "'x'")]),
        ("s => s.SetProperty(i => i.Price, i => i.Price * 2)", [("Price", "(i.Price * '2')")]),
        ("s => s.SetProperty(x => x.Rank, (int?)null)", [("Rank", "None")]),
        (
            "s => s.SetProperty(i => i.Rank, by).SetProperty(x => x.Active, true)",
            [("Rank", "@by"), ("Active", "true")],
        ),
        (
            "s => { s.SetProperty(i => i.Rank, 1); s.SetProperty(i => i.Active, i => !i.Active); }",
            [("Rank", "'1'"), ("Active", "!i.Active")],
        ),
    ],
)
def test_setters_are_read(setters: str, read: list[tuple[str, str]]) -> None:
    (change,) = commands(f"public Task<int> M(int by) => db.Items.Where(i => i.Active).ExecuteUpdateAsync({setters});")

    assert change.kind == ChangeKind.UPDATE
    assert [s.target.name for s in change.setters] == [name for name, _ in read]
    for setter, (_, value) in zip(change.setters, read, strict=True):
        assert value.strip("!") in text(setter.value)


def test_what_a_method_makes_of_the_count_is_read() -> None:
    body = """public async Task<bool> M(int id) {
      var n = await db.Items.Where(i => i.Id == id).ExecuteDeleteAsync();
      return n > 0;
    }"""
    method = entry(body).queries.methods[0]

    assert method.query is None
    assert [c.result for c in method.changes] == ["changed"]
    assert method.answer is not None
    assert "@changed > '0'" in text(method.answer)


def test_a_query_after_a_command_asks_for_what_it_left() -> None:
    body = """public async Task<List<string>> M() {
      await db.Items.Where(i => i.Stock == 0).ExecuteDeleteAsync();
      return await db.Items.Select(i => i.Label).ToListAsync();
    }"""
    method = entry(body).queries.methods[0]

    assert [c.kind for c in method.changes] == [ChangeKind.DELETE]
    assert method.query is not None
    assert method.answer is None


def test_counts_have_names_of_their_own() -> None:
    body = """public int M(int changed) {
      var a = db.Items.Where(i => i.Id == changed).ExecuteDelete();
      var b = db.Shops.Where(s => s.Items.Count == 0).ExecuteDelete();
      return a + b;
    }"""
    method = entry(body).queries.methods[0]

    assert [c.result for c in method.changes] == ["changed2", "changed3"]
    assert method.answer is not None
    assert "@changed2 + @changed3" in text(method.answer)


def test_a_command_in_a_method_that_is_called_is_the_callers() -> None:
    body = """public async Task M(int id) { await Drop(id); }
    private Task<int> Drop(int which) => db.Items.Where(i => i.Id == which).ExecuteDeleteAsync();"""
    (change,) = commands(body)

    assert change.kind == ChangeKind.DELETE


@pytest.mark.parametrize(
    ("body", "hazard"),
    [
        ("=> db.Items.ExecuteUpdate(s => s.SetProperty(i => i.Id, 1));", "Q69"),
        ('=> db.Items.ExecuteUpdate(s => s.SetProperty(i => i.Shop.Name, "x"));', "Q69"),
        ("=> db.Items.ExecuteUpdate(s => s.SetProperty(i => i.Label, i => i.Shop.Name));", "Q69"),
        ("=> db.Shops.ExecuteUpdate(s => s.SetProperty(x => x.Floor, x => (short)x.Items.Count()));", "Q69"),
        ("=> db.Items.ExecuteUpdate(s => s.SetProperty(i => i.Rank, 1).SetProperty(i => i.Rank, 2));", "Q69"),
        ("=> db.Items.OrderBy(i => i.Id).Take(3).ExecuteDelete();", "Q70"),
        ("=> db.Items.Select(i => i.Shop).ExecuteDelete();", "Q70"),
        ("{ if (all) { return db.Items.ExecuteDelete(); } return 0; }", "Q70"),
        ("{ var n = db.Items.Count(); db.Items.ExecuteDelete(); return n; }", "Q71"),
    ],
)
def test_what_is_not_read_is_a_gap_with_its_place(body: str, hazard: str) -> None:
    reading = entry(f"public int M(bool all) {body}")
    (gap,) = [g for g in reading.gaps if g.entry]

    assert not reading.queries.methods[0].is_read
    assert gap.hazard == hazard
    assert gap.span.line > 1
