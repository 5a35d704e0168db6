import pytest

from react_agent.model.query import Constant, walk
from tests.react_agent.csharp.forms import form, text
from tests.react_agent.csharp.sources import SHOP, entry, of, query

NARROW = """
  private static IQueryable<Item> Narrow(IQueryable<Item> items, string? label)
  {
    if (string.IsNullOrEmpty(label)) { return items; }
    return items.Where(x => x.Label == label);
  }
"""


def test_an_if_that_assigns_becomes_a_choice() -> None:
    body = """public List<Item> M(bool on) {
      var q = db.Items.AsQueryable();
      if (on) q = q.Where(i => i.Active);
      return q.ToList(); }"""
    assert form(query(body)) == ("from i in Item; choose {@on: where i.Active | else: -} => i -> ToList List<Item>")


def test_a_helper_that_returns_early_is_put_in_place() -> None:
    body = "public List<int> M(string? t) => Narrow(db.Items, t).Select(i => i.Id).ToList();" + NARROW
    assert form(query(body)) == (
        "from x in Item; choose {string.IsNullOrEmpty(@t): - | else: where (x.Label == @t)} => x.Id -> ToList List<int>"
    )


def test_a_switch_becomes_one_choice_with_a_branch_for_each_section() -> None:
    body = """public List<Item> M(int k) {
      IQueryable<Item> q = db.Items;
      switch (k) {
        case 1: q = q.OrderBy(a => a.Id); break;
        case 2: case 3: q = q.OrderBy(b => b.Label); break;
        default: q = q.OrderBy(c => c.Price); break;
      }
      return q.ToList(); }"""
    assert form(query(body)) == (
        "from a in Item; choose {(@k == '1'): orderby a.Id | ((@k == '2') || (@k == '3')): orderby a.Label | "
        "else: orderby a.Price} => a -> ToList List<Item>"
    )


def test_a_switch_expression_over_queries() -> None:
    body = """public List<Item> M(string k) => (k switch {
      "up" => db.Items.OrderBy(i => i.Id),
      _ => db.Items.OrderByDescending(i => i.Id) }).ThenBy(i => i.Label).ToList();"""
    assert form(query(body)) == (
        "from i in Item; choose {(@k == 'up'): orderby i.Id, i.Label | else: orderby i.Id desc, i.Label} "
        "=> i -> ToList List<Item>"
    )


def test_a_value_computed_from_arguments_is_a_local() -> None:
    reading = entry("""public List<Item> M(int? page) {
      var unused = page + 1;
      var skip = ((page ?? 1) - 1) * Size;
      return db.Items.OrderBy(i => i.Id).Skip(skip).Take(Size).ToList(); }
      private const int Size = 4;""")
    method = reading.queries.methods[0]
    assert [(x.name, text(x.value)) for x in method.locals] == [("skip", "(((@page ?? '1') - '1') * '4')")]
    assert method.query is not None
    assert form(method.query).endswith("skip @skip; take '4' => i -> ToList List<Item>")


def test_a_lambda_argument_is_put_in_place() -> None:
    body = """public Task<List<Item>> M(int n) => Pick(i => i.Id == n);
      private async Task<List<Item>> Pick(System.Linq.Expressions.Expression<Func<Item, bool>> rule)
        => await db.Items.Where(rule).ToListAsync();"""
    assert form(query(body)) == "from i in Item; where (i.Id == @n) => i -> ToList List<Item>"


def test_an_extension_method_is_put_in_place() -> None:
    more = """public static class Ext {
      public static IQueryable<Item> Live(this IQueryable<Item> q) => q.Where(i => i.Active); }"""
    body = "public int M() => db.Items.Live().Count();"
    assert form(query(body, more)) == "from i in Item; where i.Active => i -> Count int"


def test_a_constant_of_another_class_is_read() -> None:
    more = 'public static class K { public const int Top = 7; public static readonly string P = "a" + "b"; }'
    body = "public int M() => db.Items.Take(K.Top).Count(i => i.Label == K.P);"
    assert form(query(body, more)) == (
        "from item in Item; take '7'; where (item.Label == ('a' + 'b')) => item -> Count int"
    )


def test_a_pattern_that_names_what_is_not_null() -> None:
    body = """public int M(int? a, decimal? b) {
      IQueryable<Item> q = db.Items;
      if (a is int id) q = q.Where(i => i.Id == id);
      if (b is { } min) q = q.Where(i => i.Price > min);
      return q.Count(); }"""
    assert form(query(body)) == (
        "from i in Item; choose {(@a != None): where (i.Id == (int)@a) | else: -}; "
        "choose {(@b != None): where (i.Price > (decimal)@b) | else: -} => i -> Count int"
    )


def test_a_list_of_constants_may_contain_a_column() -> None:
    body = 'public int M() => db.Items.Count(i => new[] { "a", "b" }.Contains(i.Label));'
    read = query(body)
    lists = [n.cell.items for n in walk(read) if isinstance(n, Constant)]
    assert [[c.text for c in items] for items in lists] == [["a", "b"]]


def test_an_entry_over_a_filtered_entity_is_refused() -> None:
    more = """public class Gone { public int Id { get; set; } public bool Out { get; set; } }
    public class Two(DbContextOptions<Two> o) : DbContext(o) { public DbSet<Gone> All => Set<Gone>();
      protected override void OnModelCreating(ModelBuilder mb) => mb.Entity<Gone>().HasQueryFilter(g => !g.Out); }
    public class R(Two db) { public int M() => db.All.Count(); public int N() => db.Set<Gone>().Count(); }"""
    gaps = [g for g in of(more).gaps if g.entry]
    assert [(g.construct, g.hazard) for g in gaps] == [("HasQueryFilter", "S47")] * 2


def test_branches_that_make_different_rows_are_refused() -> None:
    body = """public List<int> M(bool on) {
      var q = db.Items.Select(i => i.Id);
      if (on) q = db.Items.Select(i => i.ShopId);
      return q.ToList(); }"""
    gaps = entry(body).gaps
    assert [(g.construct, g.hazard) for g in gaps] == [("branches", "Q66")]


@pytest.mark.parametrize(
    ("guard", "condition"),
    [
        ("if (s == null) throw new ArgumentNullException(nameof(s));", "(@s == None)"),
        ("if (n < 1) { throw new ArgumentException(); }", "(@n < '1')"),
        ("ArgumentNullException.ThrowIfNull(s);", "(@s == None)"),
        ("ArgumentException.ThrowIfNullOrWhiteSpace(s);", "string.IsNullOrWhiteSpace(@s)"),
        ("ArgumentOutOfRangeException.ThrowIfNegativeOrZero(n);", "(@n <= '0')"),
    ],
)
def test_a_guard_that_throws_stands_before_the_query(guard: str, condition: str) -> None:
    reading = entry(f"public int M(string? s, int n) {{ {guard} return db.Items.Count(i => i.Id == n); }}")
    assert reading.gaps == ()
    assert [text(g) for g in reading.queries.methods[0].guards] == [condition]


def test_a_way_that_throws_inside_a_branch_is_refused() -> None:
    body = "public int M(int n) { if (n > 1) { if (n > 2) throw new Exception(); } return db.Items.Count(); }"
    assert [g.construct for g in entry(body).gaps] == ["throw"]


def test_no_rows_is_all_rows_for_what_is_never_true() -> None:
    body = "public async Task<bool> M(int n) => !await db.Items.AnyAsync(i => i.Id == n);"
    assert form(query(body)) == "from i in Item; where (i.Id == @n) => 'false' -> All bool"


def test_a_method_that_only_seeds_is_no_entry() -> None:
    body = "public static void Seed(Ctx db) { db.Shops.Add(new Shop()); db.SaveChanges(); } public int M() => 1;"
    assert [m.method for m in entry(body).queries.methods] == ["M"]


def test_a_class_that_takes_its_context_by_another_type_is_named() -> None:
    reading = entry("public int M() => db.Items.Count();", "public class R(DbContext any) { public int N() => 1; }")
    (gap,) = reading.gaps
    assert (gap.construct, gap.entry) == ("R", "")
    assert "`DbContext`" in gap.reason


def test_a_method_that_calls_itself_is_refused() -> None:
    body = "public int M(int n) => Again(n); private int Again(int n) => Again(n);"
    assert [g.construct for g in entry(body).gaps] == ["Again"]


def test_state_of_the_class_is_refused() -> None:
    body = "private int _seen; public int M() => db.Items.Count(i => i.Id > _seen);"
    assert [g.construct for g in entry(body).gaps] == ["_seen"]


def test_parameters_keep_order_defaults_and_nullness_without_tokens() -> None:
    reading = entry("""
      /// <summary>Counts
      /// items.</summary>
      public Task<int> M(Color? c, System.Threading.CancellationToken ct, string s = "q", decimal d = 5) =>
        db.Shops.CountAsync(x => x.Accent == c && x.Name != s, ct);""")
    method = reading.queries.methods[0]
    shown = [(p.name, str(p.type), p.default.text if p.default else None) for p in method.parameters]
    assert shown == [("c", "Color?", None), ("s", "string", "q"), ("d", "decimal", "5")]
    assert (str(method.returns), method.is_async, method.summary) == ("int", True, "Counts items.")


def test_a_static_method_that_takes_the_context_is_an_entry() -> None:
    more = "public static class S { public static int M(Ctx db, int n) => db.Items.Count(i => i.Id == n); }"
    reading = of(SHOP + more)
    method = reading.queries.methods[0]
    assert method.query is not None
    assert (method.entry, [p.name for p in method.parameters]) == ("S.M", ["n"])
    assert form(method.query) == "from i in Item; where (i.Id == @n) => i -> Count int"


def test_a_method_of_a_base_class_is_an_entry_of_each_class_that_can_be_made() -> None:
    more = """public abstract class Base(Ctx context) {
      protected Ctx Db => context; public int N() => Db.Items.Count(); }
    public class Sub(Ctx db) : Base(db) { public int M() => Db.Shops.Count(); }"""
    reading = of(SHOP + more)
    assert {m.entry: m.query is not None for m in reading.queries.methods} == {"Sub.N": True, "Sub.M": True}


def test_methods_that_share_a_name_are_refused() -> None:
    reading = entry("public int M() => db.Items.Count(); public int M(int n) => db.Items.Count();")
    assert [g.construct for g in reading.gaps] == ["overload", "overload"]


def test_a_lambda_keeps_the_constants_of_the_class_it_stands_in() -> None:
    more = """public static class Ext { private const int Low = 9;
      public static IQueryable<Item> By(this IQueryable<Item> q, Expression<Func<Item, bool>> rule)
        => q.Where(rule); }"""
    body = "private const int Low = 1; public int M() => db.Items.By(i => i.Id > Low).Count();"
    assert form(query(body, more)) == "from i in Item; where (i.Id > '1') => i -> Count int"


def test_a_moment_that_the_code_writes_is_a_constant() -> None:
    read = query("public int M() => db.Shops.Count(s => s.Opened >= new DateTime(2024, 2, 29));")
    (found,) = (n for n in walk(read) if isinstance(n, Constant))
    assert found.cell.to_json() == {"t": "datetime", "v": "2024-02-29T00:00:00.0000000", "kind": "Unspecified"}


def test_only_public_methods_of_classes_that_take_the_context_are_entries() -> None:
    more = "public class Other { public int N() => 1; }"
    reading = entry("public int M() => db.Items.Count(); private int P() => 1; public static int S() => 2;", more)
    assert [m.entry for m in reading.queries.methods] == ["Q.M"]


def test_projections_are_described_with_every_public_property() -> None:
    reading = entry("public List<Card> M() => db.Items.Select(i => new Card { Id = i.Id, Sum = i.Weight }).ToList();")
    card = reading.queries.projections[0]
    assert (card.name, card.kind) == ("Card", "class")
    assert [(m.name, str(m.type)) for m in card.members] == [("Id", "int"), ("Name", "string?"), ("Sum", "double")]
