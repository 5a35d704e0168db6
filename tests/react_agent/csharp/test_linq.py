import pytest

from tests.react_agent.csharp.forms import form
from tests.react_agent.csharp.sources import entry, query

FORMS = {
    "find_is_the_row_with_the_key": (
        "public Item? M(int id) => db.Items.Find(id);",
        "from item in Item; where (item.Id == @id) => item -> FirstOrDefault Item?",
    ),
    "find_takes_its_key_as_an_array": (
        "public async Task<Item?> M(int id, CancellationToken stop) => await db.Items.FindAsync([id], stop);",
        "from item in Item; where (item.Id == @id) => item -> FirstOrDefault Item?",
    ),
    "find_on_the_context_names_its_entity": (
        "public async Task<Shop?> M(int id, CancellationToken stop) => "
        "await db.FindAsync<Shop>(new object[] { id }, stop);",
        "from shop in Shop; where (shop.Id == @id) => shop -> FirstOrDefault Shop?",
    ),
    "the_row_at_a_position_is_the_first_behind_the_others": (
        "public Item M(int at) => db.Items.OrderBy(i => i.Id).ElementAt(at);",
        "from i in Item; orderby i.Id; skip @at => i -> First Item",
    ),
    "the_row_at_a_position_or_none": (
        "public async Task<string?> M() => await db.Items.OrderBy(i => i.Id).Select(i => i.Label)"
        ".ElementAtOrDefaultAsync(2);",
        "from i in Item; orderby i.Id; skip '2' => i.Label -> FirstOrDefault string?",
    ),
    "reversing_turns_every_key": (
        "public List<Item> M() => db.Items.OrderBy(i => i.Price).ThenByDescending(i => i.Id).Where(i => i.Active)"
        ".Reverse().Take(2).ToList();",
        "from i in Item; orderby i.Price desc, i.Id; where i.Active; take '2' => i -> ToList List<Item>",
    ),
    "compare_to_is_an_order_of_texts": (
        "public List<Item> M(string after) => db.Items.Where(i => i.Label.CompareTo(after) > 0).ToList();",
        "from i in Item; where (i.Label > @after) => i -> ToList List<Item>",
    ),
    "compare_is_an_order_from_either_side": (
        "public List<Shop> M(string? to) => db.Shops.Where(s => 0 <= string.Compare(s.City, to)).ToList();",
        "from s in Shop; where (s.City >= @to) => s -> ToList List<Shop>",
    ),
    "query_syntax_and_method_syntax_read_alike_1": (
        "public int M(string c) => (from s in db.Shops where s.City == c from i in s.Items select i.Id).Sum();",
        "from s in Shop; where (s.City == @c); from i in s.Items => i.Id -> Sum int",
    ),
    "query_syntax_and_method_syntax_read_alike_2": (
        "public int M(string c) => db.Shops.Where(s => s.City == c).SelectMany(s => s.Items, (s, i) => i.Id).Sum();",
        "from s in Shop; where (s.City == @c); from i in s.Items => i.Id -> Sum int",
    ),
    "a_select_in_the_middle_is_substituted": (
        "public List<int> M() => db.Items.Select(i => new { i.Id, N = i.Rank ?? 0 }).Where(x => x.N > 2)"
        ".OrderBy(x => x.Id).Select(x => x.N).ToList();",
        "from i in Item; where ((i.Rank ?? '0') > '2'); orderby i.Id => (i.Rank ?? '0') -> ToList List<int>",
    ),
    "let_is_substituted": (
        "public List<int> M() => (from i in db.Items let n = i.Id * 2 where n > 3 orderby n descending select n)"
        ".ToList();",
        "from i in Item; where ((i.Id * '2') > '3'); orderby (i.Id * '2') desc => (i.Id * '2') -> ToList List<int>",
    ),
    "a_predicate_of_count_becomes_a_where": (
        "public int M() => db.Items.Count(i => i.Active);",
        "from i in Item; where i.Active => i -> Count int",
    ),
    "all_keeps_its_predicate_as_the_element": (
        "public bool M() => db.Items.All(i => i.Active);",
        "from i in Item => i.Active -> All bool",
    ),
    "first_or_default_of_an_entity_may_be_null": (
        "public Item? M(int id) => db.Items.FirstOrDefault(i => i.Id == id);",
        "from i in Item; where (i.Id == @id) => i -> FirstOrDefault Item?",
    ),
    "a_page_stays_in_order": (
        "public List<Item> M(int n) => db.Items.OrderBy(i => i.Price).ThenByDescending(i => i.Id).Skip(n).Take(5)"
        ".ToList();",
        "from i in Item; orderby i.Price, i.Id desc; skip @n; take '5' => i -> ToList List<Item>",
    ),
    "distinct_gives_the_row_a_name": (
        "public List<string> M() => db.Items.Select(i => i.Label).Distinct().OrderBy(x => x).ToList();",
        "from i in Item; distinct i.Label as x; orderby x => x -> ToList List<string>",
    ),
    "distinct_objects_keep_their_members": (
        "public List<int> M() => db.Items.Select(i => new { i.Id, i.Label }).Distinct().Select(x => x.Id).ToList();",
        "from i in Item; distinct new {Id=i.Id, Label=i.Label} as x => x.Id -> ToList List<int>",
    ),
    "a_group_has_a_key_and_rows": (
        "public List<Line> M() => db.Items.GroupBy(i => i.Label).Where(g => g.Count() > 1)"
        ".Select(g => new Line(g.Key, g.Sum(x => x.Price))).ToList();",
        "from i in Item; group i by i.Label as g; where ([from item in g => item -> Count int] > '1') => "
        "new Line{Name=g.Key, Total=[from x in g => x.Price -> Sum decimal]} -> ToList List<Line>",
    ),
    "a_group_by_two_keys": (
        "public List<int> M() => (from i in db.Items group i.Price by new { i.ShopId, i.Active } into g "
        "where g.Key.Active select g.Count()).ToList();",
        "from i in Item; group i.Price by new {ShopId=i.ShopId, Active=i.Active} as g; where g.Key.Active => "
        "[from item in g => item -> Count int] -> ToList List<int>",
    ),
    "a_collection_inside_a_predicate_is_a_subquery": (
        "public List<Shop> M() => db.Shops.Where(s => s.Items.Any(i => i.Active) && s.Items.Count > 2).ToList();",
        "from s in Shop; where ([from i in s.Items; where i.Active => i -> Any bool] && "
        "([from item in s.Items => item -> Count int] > '2')) => s -> ToList List<Shop>",
    ),
    "variables_of_nested_lambdas_stay_apart": (
        "public List<Shop> M() => db.Shops.Where(x => x.Items.Any(i => i.Shop.Items.All(x => x.Active))).ToList();",
        "from x in Shop; where [from i in x.Items; where [from x2 in i.Shop.Items => x2.Active -> All bool] => "
        "i -> Any bool] => x -> ToList List<Shop>",
    ),
    "rows_without_children_are_kept_by_default_if_empty": (
        "public List<int?> M() => (from s in db.Shops from i in s.Items.DefaultIfEmpty() select (int?)i.Id).ToList();",
        "from s in Shop; from i in s.Items outer => (int?)i.Id -> ToList List<int?>",
    ),
    "a_filtered_inner_source": (
        "public List<string> M() => (from s in db.Shops from i in s.Items.Where(x => x.Active) select i.Label)"
        ".ToList();",
        "from s in Shop; from x in s.Items; where x.Active => x.Label -> ToList List<string>",
    ),
    "what_changes_no_result_is_dropped": (
        "public async Task<List<Item>> M(CancellationToken ct = default) => await db.Set<Item>().AsNoTracking()"
        '.AsSplitQuery().TagWith("x").ToListAsync(ct).ConfigureAwait(false);',
        "from item in Item => item -> ToList List<Item>",
    ),
    "a_join_on_a_required_key_is_its_navigation": (
        "public List<string> M() => (from i in db.Items join s in db.Shops on i.ShopId equals s.Id select s.Name)"
        ".ToList();",
        "from i in Item => i.Shop.Name -> ToList List<string>",
    ),
    "a_join_on_an_optional_key_leaves_rows_out": (
        "public List<string> M() => db.Items.Join(db.Items, i => i.ParentId, p => p.Id, (i, p) => p.Label).ToList();",
        "from i in Item; where (i.Parent != None) => i.Parent.Label -> ToList List<string>",
    ),
    "a_join_from_the_other_side_ranges_over_the_collection": (
        "public List<string> M() => (from s in db.Shops join i in db.Items.Where(x => x.Active) "
        "on s.Id equals i.ShopId where s.Floor > 1 select i.Label).ToList();",
        "from s in Shop; from i in s.Items; where i.Active; where ((int)s.Floor > '1') => i.Label "
        "-> ToList List<string>",
    ),
    "a_group_join_is_the_collection": (
        "public List<int> M() => (from s in db.Shops join i in db.Items on s.Id equals i.ShopId into own "
        "select own.Count()).ToList();",
        "from s in Shop => [from item in s.Items => item -> Count int] -> ToList List<int>",
    ),
    "a_group_join_in_method_syntax": (
        "public List<int> M() => db.Shops.GroupJoin(db.Items, s => s.Id, i => i.ShopId, (s, own) => new { s, own })"
        ".SelectMany(x => x.own.DefaultIfEmpty(), (x, i) => x.s.Id).ToList();",
        "from s in Shop; from i in s.Items outer => s.Id -> ToList List<int>",
    ),
    "a_left_join_keeps_rows": (
        "public List<string?> M() => (from i in db.Items join p in db.Items on i.ParentId equals p.Id into ps "
        "from p in ps.DefaultIfEmpty() select p.Label).ToList();",
        "from i in Item => i.Parent.Label -> ToList List<string>",
    ),
    "a_product_of_two_names_is_an_argument": (
        "public List<int> M(int page, int size) => db.Items.OrderBy(i => i.Id).Skip(page * size).Take(size)"
        ".Select(i => i.Id).ToList();",
        "from i in Item; orderby i.Id; skip (@page * @size); take @size => i.Id -> ToList List<int>",
    ),
    "a_difference_behind_a_name_in_parentheses": (
        "public List<int> M(int page) => db.Items.OrderBy(i => i.Id).Skip(4 * (page) - 1 - page).Select(i => i.Id)"
        ".ToList();",
        "from i in Item; orderby i.Id; skip ((('4' * @page) - '1') - @page) => i.Id -> ToList List<int>",
    ),
    "a_test_of_a_list_argument_for_emptiness": (
        "public int M(List<int>? ids) { IQueryable<Item> q = db.Items; if (ids is { Count: > 0 }) "
        "q = q.Where(i => ids.Contains(i.Id)); return q.Count(); }",
        "from i in Item; choose {((@ids != None) && (@ids != None)): where Enumerable.Contains(@ids, i.Id) | else: -} "
        "=> i -> Count int",
    ),
    "a_pattern_stops_where_a_condition_goes_on": (
        "public int M(int? a, int? b, int c) { IQueryable<Item> q = db.Items; if (a is null || b is not null and > 3 "
        "&& c > 1) q = q.Where(i => i.Active); return q.Count(); }",
        "from i in Item; choose {((@a == None) || (((@b != None) && (@b > '3')) && (@c > '1'))): where i.Active | "
        "else: -} => i -> Count int",
    ),
    "a_set_inside_a_lambda_is_the_navigation_that_it_compares": (
        "public List<int> M() => db.Shops.Where(s => db.Items.Count(i => i.ShopId == s.Id && i.Active) > 2)"
        ".Select(s => s.Id).ToList();",
        "from s in Shop; where ([from i in s.Items; where i.Active => i -> Count int] > '2') => s.Id "
        "-> ToList List<int>",
    ),
    "a_look_up_by_key_inside_a_lambda_is_a_reference": (
        "public List<string?> M() => db.Items.Select(i => db.Shops.Where(s => s.Id == i.ShopId).Select(s => s.City)"
        ".FirstOrDefault()).ToList();",
        "from i in Item => i.Shop.City -> ToList List<string?>",
    ),
    "a_test_of_a_set_by_key_is_a_test_of_the_reference": (
        "public int M() => db.Items.Count(i => db.Items.Any(p => p.Id == i.ParentId && p.Active));",
        "from i in Item; where ((i.Parent != None) && i.Parent.Active) => i -> Count int",
    ),
    "an_interpolated_text_is_put_together": (
        'public List<string> M() => db.Items.Select(i => $"{i.Label} ({i.Id})").ToList();',
        "from i in Item => (((i.Label + ' (') + int.ToString(i.Id)) + ')') -> ToList List<string>",
    ),
    "a_list_argument_that_contains_a_column": (
        "public List<Item> M(List<int> ids) => db.Items.Where(i => ids.Contains(i.Id)).ToList();",
        "from i in Item; where Enumerable.Contains(@ids, i.Id) => i -> ToList List<Item>",
    ),
    "an_inner_list_with_its_own_order": (
        "public List<List<string>> M() => db.Shops"
        ".Select(s => s.Items.OrderBy(i => i.Id).Select(i => i.Label).ToList())"
        ".ToList();",
        "from s in Shop => [from i in s.Items; orderby i.Id => i.Label -> ToList List<string>] "
        "-> ToList List<List<string>>",
    ),
}


@pytest.mark.parametrize(("body", "expected"), FORMS.values(), ids=FORMS)
def test_reads_in_normal_form(body: str, expected: str) -> None:
    assert form(query(body)) == expected


GAPS = {
    "Include of what is cut": (
        "public List<Shop> M() => db.Shops.Include(s => s.Items.Take(2)).ToList();",
        "Include",
        "Q18",
    ),
    "Include of what a set was ranged over for": (
        "public List<Item> M() => db.Shops.SelectMany(s => s.Items).Include(i => i.Shop).ToList();",
        "Include",
        "Q17",
    ),
    "Include before a group": (
        "public List<Item> M() => db.Items.Include(i => i.Shop).Distinct().ToList();",
        "Include",
        "Q17",
    ),
    "Join": (
        "public List<Item> M() => db.Items.Join(db.Shops, i => i.Rank, s => s.Id, (i, s) => i).ToList();",
        "Join",
        "Q23",
    ),
    "join clause": (
        "public List<int> M() => (from i in db.Items join s in db.Shops on i.Label equals s.Name select 1).ToList();",
        "join",
        "Q23",
    ),
    "a join of a sorted set": (
        "public List<int> M() => (from i in db.Items join s in db.Shops.OrderBy(s => s.Id).Take(3) "
        "on i.ShopId equals s.Id select s.Id).ToList();",
        "join",
        "Q23",
    ),
    "a fold of a group join over a reference": (
        "public List<int> M() => (from i in db.Items join s in db.Shops on i.ShopId equals s.Id into g "
        "select g.Count()).ToList();",
        "Count",
        "Q25",
    ),
    "cross join": (
        "public List<int> M() => (from i in db.Items from s in db.Shops select s.Id).ToList();",
        "SelectMany",
        "Q27",
    ),
    "nested set": (
        "public List<Item> M() => db.Items.Where(i => db.Shops.Any(s => s.Name == i.Label)).ToList();",
        "Where",
        "Q27",
    ),
    "clock": ("public int M() => db.Items.Count(i => i.Shop.Opened < DateTime.Now);", "DateTime.Now", "Q58"),
    "in memory": ("public List<int> M() => db.Items.ToList().Select(i => i.Id).ToList();", "Select", "Q57"),
    "unmapped member": ("public List<string> M() => db.Shops.Select(s => s.Sign).ToList();", "Sign", "Q57"),
    "SQL": ('public List<Item> M() => db.Items.FromSqlRaw("select 1").ToList();', "FromSqlRaw", "Q67"),
    "write": ("public int M() { db.Items.Add(new Item()); return db.SaveChanges(); }", "Add", "Q71"),
    "loop": ("public int M() { foreach (var i in db.Items) { } return 1; }", "foreach statement", "Q66"),
    "comparer": (
        "public List<Item> M() => db.Items.OrderBy(i => i.Label, StringComparer.Ordinal).ToList();",
        "StringComparer",
        "",
    ),
    "branch": (
        "public int N() {\n#if X\nreturn 1;\n#endif\nreturn db.Items.Count(); }",
        "syntax",
        "",
    ),
    "rest in memory": (
        "public int M() => db.Items.AsEnumerable().Count(i => i.Active);",
        "AsEnumerable",
        "Q57",
    ),
    "key of another type": ("public Item? M(long id) => db.Items.Find(id);", "Find", "Q55"),
    "key of another length": ("public Item? M(int id) => db.Items.Find(id, id);", "Find", "Q55"),
    "look-up behind a filter": (
        "public Item? M(int id) => db.Items.Where(i => i.Active).Find(id);",
        "Find",
        "Q55",
    ),
    "reversed rows without an order": ("public List<Item> M() => db.Items.Reverse().ToList();", "Reverse", "Q56"),
    "reversed page": (
        "public List<Item> M() => db.Items.OrderBy(i => i.Id).Take(3).Reverse().ToList();",
        "Reverse",
        "Q56",
    ),
    "unknown": ("public int M() => db.Items.Frobnicate();", "Frobnicate", ""),
}


@pytest.mark.parametrize(("body", "construct", "hazard"), GAPS.values(), ids=GAPS)
def test_refuses_with_the_place_and_the_hazard(body: str, construct: str, hazard: str) -> None:
    reading = entry(body)
    refused = [g for g in reading.gaps if g.entry]
    assert [(g.construct, g.hazard) for g in refused] == [(construct, hazard)]
    assert refused[0].span.file == "Model.cs"
    assert refused[0].span.line > 37
    entries = {m.entry: m.query for m in reading.queries.methods}
    assert entries[refused[0].entry] is None
