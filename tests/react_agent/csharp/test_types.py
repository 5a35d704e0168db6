import pytest

from react_agent.csharp.types import averaged, promoted, summed
from react_agent.model.mapping import ClrType
from react_agent.model.query import Cast, Constant, New, walk
from tests.react_agent.csharp.sources import query

EXPRESSIONS = {
    "i.Price * i.Stock": "decimal",
    "i.Weight + i.Id": "double",
    "i.Ratio / 2": "float",
    "i.Stock % 3": "long",
    "i.Rank * 2": "int?",
    "i.Discount ?? 0": "decimal",
    "i.Discount ?? i.Discount": "decimal?",
    "i.Shop.Floor + 1": "int",
    "i.Shop.Level": "byte?",
    "-i.Shop.Floor": "int",
    "(double)i.Price": "double",
    "(int?)i.Id": "int?",
    "i.Discount!.Value": "decimal",
    "i.Rank.HasValue": "bool",
    "i.Shop.City": "string?",
    'i.Shop.City ?? "none"': "string",
    "i.Active ? i.Id : i.Stock": "long",
    "i.Active ? i.Label : null": "string?",
    "i.Active ? (int?)null : i.Id": "int?",
    'i.Label + "/" + i.Id': "string",
    "i.Label.Length": "int",
    "i.Shop.Opened.Date": "DateTime",
    "i.Shop.Closed!.Value.Year": "int",
    "i.Shop.Color": "Color",
    "i.Shop.Color.ToString()": "string",
    "i.Parent": "Item?",
    "i.Parent!.Parent!.Label": "string",
    "Math.Round(i.Price, 1)": "decimal",
    "Math.Abs(i.Shop.Floor)": "short",
    "Math.Floor(i.Weight)": "double",
    "i.Shop.Items.Sum(x => x.Rank)": "int?",
    "i.Shop.Items.Average(x => x.Id)": "double",
    "i.Shop.Items.Average(x => x.Discount)": "decimal?",
    "i.Shop.Items.Max(x => x.Ratio)": "float",
    "i.Shop.Items.Sum(x => x.Shop.Floor)": "int",
    "i.Shop.Items.LongCount()": "long",
    "i.Shop.Items": "List<Item>",
    "i.Shop.Items.Select(x => x.Label).ToArray()": "Array<string>",
    "i.Shop.Items.FirstOrDefault()": "Item?",
    "i.Shop.Items.Select(x => x.Id).FirstOrDefault()": "int",
}


@pytest.mark.parametrize(("code", "expected"), EXPRESSIONS.items(), ids=list(EXPRESSIONS))
def test_every_expression_has_its_csharp_type(code: str, expected: str) -> None:
    body = f"public object M() => db.Items.Select(i => new {{ V = {code} }}).ToList();"
    made = query(body).element
    assert isinstance(made, New)
    assert str(made.members[0][1].type) == expected


RESULTS = {
    "public int M() => db.Shops.Sum(s => s.Floor);": "int",
    "public decimal? M() => db.Items.Sum(i => i.Discount);": "decimal?",
    "public double M() => db.Items.Average(i => i.Id);": "double",
    "public float M() => db.Items.Average(i => i.Ratio);": "float",
    "public int? M() => db.Items.Max(i => i.Rank);": "int?",
    "public DateTime M() => db.Shops.Min(s => s.Opened);": "DateTime",
    "public long M() => db.Items.LongCount();": "long",
    "public string? M() => db.Items.Select(i => i.Label).FirstOrDefault();": "string?",
    "public int M() => db.Items.Select(i => i.Id).SingleOrDefault();": "int",
}


@pytest.mark.parametrize(("body", "expected"), RESULTS.items(), ids=list(RESULTS))
def test_every_outcome_has_its_csharp_type(body: str, expected: str) -> None:
    assert str(query(body).type) == expected


def test_a_constant_takes_the_type_it_is_compared_with() -> None:
    read = query("public int M() => db.Items.Count(i => i.Price > 10 && i.Stock == 3 && i.Ratio < 1.5f);")
    constants = [n for n in walk(read) if isinstance(n, Constant)]
    assert [(str(c.type), c.cell.text) for c in constants] == [("decimal", "10"), ("long", "3"), ("float", "1.5")]


def test_a_narrower_operand_is_cast_and_an_equal_one_is_not() -> None:
    read = query("public int M(int n) => db.Items.Count(i => i.Price > i.Id && i.Id == n && i.Rank == i.Id);")
    assert [str(n.type) for n in walk(read) if isinstance(n, Cast)] == ["decimal"]


def test_csharp_refuses_decimal_with_double() -> None:
    assert promoted(ClrType(name="decimal"), ClrType(name="double")) is None


def test_unsigned_and_signed_meet_in_long() -> None:
    assert promoted(ClrType(name="uint"), ClrType(name="int")) == ClrType(name="long")


def test_sum_and_average_have_no_overload_for_text() -> None:
    assert summed(ClrType(name="string")) is None
    assert averaged(ClrType(name="bool")) is None
