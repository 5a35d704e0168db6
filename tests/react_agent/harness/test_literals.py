import pytest

from react_agent.draft import Draft
from react_agent.harness.csharp_literals import csharp_literal, csharp_text
from react_agent.harness.csharp_names import CannotShow, identifier, names_of
from react_agent.harness.java_literals import java_literal
from react_agent.model.mapping import ClrType
from react_agent.model.translation import SourceFile
from react_agent.model.values import NULL, Cell, CellType, scalar

INT, STRING = ClrType(name="int"), ClrType(name="string")
STAGE, HAZARD = ClrType(name="Stage"), ClrType(name="Hazard")
MOMENT = ClrType(name="DateTime")


def enum(of: str, number: str, name: str | None = None) -> Cell:
    return Cell(type=CellType.ENUM, text=number, name=name, enum=of)


@pytest.fixture(scope="module")
def layer(stock) -> Draft:
    return stock.candidate


def in_csharp(layer: Draft, cell: Cell, clr: ClrType | None) -> str:
    return csharp_literal(cell, clr, layer.mapping, names_of(layer.sources))


@pytest.mark.parametrize(
    ("cell", "clr", "csharp", "java"),
    [
        (scalar(CellType.BOOL, True), "bool", "true", "true"),
        (scalar(CellType.BYTE, 200), "byte", "(byte)200", "200"),
        (scalar(CellType.SBYTE, -3), "sbyte", "(sbyte)(-3)", "-3"),
        (scalar(CellType.INT, -(2**31)), "int", "-2147483648", "-2147483648"),
        (scalar(CellType.UINT, 2**32 - 1), "uint", "4294967295U", "4294967295L"),
        (scalar(CellType.LONG, -(2**63)), "long", "-9223372036854775808L", "-9223372036854775808L"),
        (
            scalar(CellType.ULONG, 2**64 - 1),
            "ulong",
            "18446744073709551615UL",
            'new java.math.BigDecimal("18446744073709551615")',
        ),
        (scalar(CellType.CHAR, "'"), "char", r"'\u0027'", '"\'"'),
        (scalar(CellType.FLOAT, "1.5"), "float", "1.5f", "1.5f"),
        (scalar(CellType.DOUBLE, "NaN"), "double", "double.NaN", "Double.NaN"),
        (scalar(CellType.DOUBLE, "-Infinity"), "double", "double.NegativeInfinity", "Double.NEGATIVE_INFINITY"),
        (scalar(CellType.DECIMAL, "-9.90"), "decimal", "-9.90m", 'new java.math.BigDecimal("-9.90")'),
        (scalar(CellType.STRING, 'a"\\\n'), "string", r'"a\"\\\n"', r'"a\"\\\n"'),
        (
            scalar(CellType.DATE, "2024-02-29"),
            "DateOnly",
            'DateOnly.Parse("2024-02-29", Invariant)',
            'java.time.LocalDate.parse("2024-02-29")',
        ),
        (
            scalar(CellType.DATETIMEOFFSET, "2024-02-29T01:00:00.0000000+02:00"),
            "DateTimeOffset",
            'DateTimeOffset.Parse("2024-02-29T01:00:00.0000000+02:00", Invariant)',
            'java.time.OffsetDateTime.parse("2024-02-29T01:00:00.0000000+02:00").toInstant()',
        ),
        (
            scalar(CellType.BYTES, "Af8="),
            "byte[]",
            'Convert.FromBase64String("Af8=")',
            'java.util.Base64.getDecoder().decode("Af8=")',
        ),
    ],
)
def test_each_side_writes_a_scalar_with_its_type(layer: Draft, cell: Cell, clr: str, csharp: str, java: str) -> None:
    assert in_csharp(layer, cell, ClrType(name=clr)) == csharp
    assert java_literal(cell, ClrType(name=clr), layer.mapping) == java


def test_null_carries_its_type(layer: Draft) -> None:
    maybe = ClrType(name="int", nullable=True)
    assert in_csharp(layer, NULL, maybe) == "(int?)null"
    assert in_csharp(layer, NULL, HAZARD) == "(global::Hazard?)null"
    assert java_literal(NULL, maybe, layer.mapping) == "(Integer) null"
    assert java_literal(NULL, HAZARD, layer.mapping) == "(Hazard) null"


def test_an_enum_is_written_by_its_member_whether_name_or_number_is_given(layer: Draft) -> None:
    for cell in (enum("Stage", "3", "InReview"), enum("Stage", "3"), enum("Stage", "InReview")):
        assert in_csharp(layer, cell, STAGE) == "global::Depot.Stock.Lot.Stage.InReview"
        assert java_literal(cell, STAGE, layer.mapping) == "Stage.IN_REVIEW"
    assert in_csharp(layer, enum("Stage", "4"), STAGE) == "global::Depot.Stock.Lot.Stage.@default"
    assert in_csharp(layer, enum("Hazard", "2"), HAZARD) == "global::Hazard.Flammable"


def test_a_number_that_no_member_has_is_cast_in_csharp_and_refused_in_java(layer: Draft) -> None:
    assert in_csharp(layer, enum("Stage", "-9"), STAGE) == "(global::Depot.Stock.Lot.Stage)(-9)"
    with pytest.raises(CannotShow, match="Stage has no member for -9"):
        java_literal(enum("Stage", "-9"), STAGE, layer.mapping)


def test_a_list_names_its_elements_type_also_when_empty_or_of_nulls(layer: Draft) -> None:
    ids = Cell(type=CellType.LIST, items=(scalar(CellType.INT, 1), NULL))
    none = Cell(type=CellType.LIST)
    maybe = ClrType(name="int", nullable=True)
    csharp = {
        name: in_csharp(layer, ids, ClrType(name=name, element=maybe)) for name in ("Array", "IList", "IReadOnlyList")
    }
    assert csharp == {
        "Array": "new int?[] { 1, (int?)null }",
        "IList": "new List<int?> { 1, (int?)null }",
        "IReadOnlyList": "new int?[] { 1, (int?)null }",
    }
    assert in_csharp(layer, none, ClrType(name="ISet", element=STAGE)) == (
        "new HashSet<global::Depot.Stock.Lot.Stage> { }"
    )
    listed = java_literal(ids, ClrType(name="Array", element=maybe), layer.mapping)
    assert listed == "java.util.Arrays.<Integer>asList(1, (Integer) null)"
    assert java_literal(none, ClrType(name="List", element=STAGE), layer.mapping) == "java.util.Arrays.<Stage>asList()"


def test_a_date_time_keeps_its_kind(layer: Draft) -> None:
    text = "2024-02-29T12:00:00.0000000"
    utc = Cell(type=CellType.DATETIME, text=text, kind="Utc")
    local = Cell(type=CellType.DATETIME, text=text, kind="Local")
    assert f'"{text}Z"' in in_csharp(layer, utc, MOMENT)
    assert "DateTimeKind.Local" in in_csharp(layer, local, MOMENT)
    assert java_literal(utc, MOMENT, layer.mapping) == f'java.time.Instant.parse("{text}Z")'


def test_characters_that_cannot_be_seen_are_escaped() -> None:
    assert csharp_text("a\u2028\ud800\U000e0001ø😀") == r'"a\u2028\uD800\U000E0001ø😀"'


def test_an_object_has_no_literal(layer: Draft) -> None:
    with pytest.raises(CannotShow, match="object"):
        in_csharp(layer, Cell(type=CellType.OBJECT, name="Money"), ClrType(name="Money"))


def test_keywords_are_marked() -> None:
    assert [identifier(name) for name in ("class", "Class", "default", "id")] == ["@class", "Class", "@default", "id"]


def test_a_type_is_named_with_all_that_it_stands_in() -> None:
    text = "namespace A.B { public class One { public class Two { public enum Three { X } } } } public class Plain { }"
    names = names_of([SourceFile(path="A.cs", text=text)])
    assert names.type("Two") == "global::A.B.One.Two"
    assert names.type("Three") == "global::A.B.One.Two.Three"
    assert names.type("Plain") == "global::Plain"
    assert names.type("DayOfWeek") == "DayOfWeek"
