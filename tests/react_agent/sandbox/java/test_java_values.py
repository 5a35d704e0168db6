"""Cells become Java values and Java values become cells, with the text that .NET writes."""

from typing import Any

import pytest

from react_agent.sandbox.protocol import JobRefused

pytestmark = [pytest.mark.jvm, pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="module")]

IMPORTS = """
import java.math.*; import java.net.URI; import java.time.*; import java.util.*; import org.bson.types.*;
"""
TYPES = {
    "bool": ["boolean", "Boolean"],
    "byte": ["int", "short", "Integer"],
    "sbyte": ["byte", "Byte"],
    "short": ["short", "Short", "int"],
    "int": ["int", "Integer", "long", "Optional<Integer>", "BigInteger"],
    "uint": ["long", "Long"],
    "long": ["long", "Long", "BigDecimal"],
    "ulong": ["BigInteger", "BigDecimal", "Decimal128"],
    "float": ["float", "Float"],
    "double": ["double", "Double"],
    "decimal": ["BigDecimal", "Decimal128"],
    "char": ["char", "Character", "String"],
    "string": ["String", "CharSequence"],
    "guid": ["UUID", "String"],
    "uri": ["URI", "String"],
    "datetime": ["LocalDateTime", "Instant", "Date", "OffsetDateTime"],
    "datetimeoffset": ["OffsetDateTime", "ZonedDateTime"],
    "date": ["LocalDate"],
    "time": ["LocalTime"],
    "timespan": ["Duration"],
    "bytes": ["byte[]", "Binary"],
}
SAME = {
    "bool": ["true", "false"],
    "byte": ["0", "255"],
    "sbyte": ["-128", "127"],
    "short": ["-32768", "32767"],
    "int": ["-2147483648", "0", "2147483647"],
    "uint": ["4294967295"],
    "long": ["-9223372036854775808", "9007199254740993", "9223372036854775807"],
    "ulong": ["18446744073709551615"],
    "float": ["0", "-0", "0.1", "0.33333334", "100000000", "1E+09", "1E-05", "0.0001", "3.4028235E+38", "1E-45", "NaN"],
    "double": [
        *("0", "-0", "0.9", "98.95", "0.30000000000000004", "1E-05", "0.0001", "0.00012345", "-1234.5"),
        *("10000000000000000", "12345678901234568", "1E+17", "1.2345678901234568E+17", "1.7976931348623157E+308"),
        *("5E-324", "2E-323", "2E+23", "2.2250738585072014E-308", "NaN", "Infinity", "-Infinity"),
    ],
    "decimal": ["0", "9.9", "-0.001", "79228162514264337593543950335", "0.0000000000000000000000000001"],
    "char": ["a", "\u0159"],
    "string": ["", "Kale '2019'", "\U0001f600 \u0000 \u2028"],
    "guid": ["01234567-89ab-cdef-0123-456789abcdef"],
    "uri": ["https://example.org/a?b=c%20d"],
    "datetime": ["2023-12-31T23:30:00.1230000", "0001-01-01T00:00:00.0000000", "9999-12-31T23:59:59.9990000"],
    "datetimeoffset": ["2024-01-02T03:04:05.1234567+02:00", "2024-01-02T03:04:05.0000000+00:00"],
    "date": ["2024-02-29", "0001-01-01"],
    "time": ["01:02:03.0000000", "23:59:59.9999999"],
    "timespan": ["01:30:00", "-142.21:21:18.9012345", "2.00:00:00", "00:00:00.0000001", "00:00:00"],
    "bytes": ["", "AP8Q"],
}


@pytest.mark.parametrize("kind", SAME)
async def test_a_value_comes_back_as_it_was_given(program, kind):
    methods = "".join(
        f"public static {java} echo{at}({java} value) {{ return value; }}\n" for at, java in enumerate(TYPES[kind])
    )
    await program.compile_code(methods, IMPORTS)
    calls: list[dict[str, Any]] = [
        {
            "id": f"{java}: {text}",
            "instance": "empty",
            "class": "app.Code",
            "method": f"echo{at}",
            "args": [{"name": "value", "value": {"t": kind, "v": text}}],
            "shape": {"kind": "scalar", "type": kind},
        }
        for at, java in enumerate(TYPES[kind])
        for text in SAME[kind]
    ]
    envelopes = await program.run(calls)
    got = {each["call"]: (each["value"]["t"], each["value"].get("v")) for each in envelopes}
    assert got == {each["id"]: (kind, each["args"][0]["value"]["v"]) for each in calls}


@pytest.mark.parametrize(
    ("returned", "type_", "expected"),
    [
        ('new BigDecimal("9.90")', "decimal", ("decimal", "9.9")),
        ('new BigDecimal("-0.00")', "decimal", ("decimal", "0")),
        ('new BigDecimal("1E+3")', "decimal", ("decimal", "1000")),
        ('Decimal128.parse("-0")', "decimal", ("decimal", "0")),
        ("0.1d", "decimal", ("decimal", "0.1")),
        ("5L", "int", ("int", "5")),
        ("5.0d", "int", ("int", "5")),
        ('new BigDecimal("2.50")', "double", ("double", "2.5")),
        ("0x1p-25", "double", ("double", "2.980232238769531E-08")),
        ("3000000000L", "int", ("long", "3000000000")),
        ("2.5d", "int", ("double", "2.5")),
        ("Double.NaN", "decimal", ("double", "NaN")),
        ("9007199254740993L", "double", ("long", "9007199254740993")),
        ('"text"', "int", ("string", "text")),
        ("LocalDateTime.of(2024, 1, 1, 10, 0)", "date", ("datetime", "2024-01-01T10:00:00.0000000")),
        (
            'Instant.parse("2024-01-01T10:00:00Z")',
            "datetimeoffset",
            ("datetimeoffset", "2024-01-01T10:00:00.0000000+00:00"),
        ),
        ("DayOfWeek.MONDAY", "string", ("string", "MONDAY")),
        ("Optional.of(Optional.of(7))", "int", ("int", "7")),
        ("Optional.empty()", "int", ("null", None)),
        ("OptionalInt.empty()", "int", ("null", None)),
        ("OptionalDouble.of(1.5)", "double", ("double", "1.5")),
    ],
)
async def test_a_value_that_its_type_cannot_hold_keeps_its_own_type(program, returned, type_, expected):
    await program.compile_code(f"public static Object call() {{ return {returned}; }}", IMPORTS)
    envelope = await program.call_code({"kind": "scalar", "type": type_})
    assert (envelope["value"]["t"], envelope["value"].get("v")) == expected


@pytest.mark.parametrize(
    "returned",
    [
        "List.of(1, 2)",
        "new LinkedHashSet<>(List.of(1, 2))",
        "new int[] {1, 2}",
        "new Integer[] {1, 2}",
        "java.util.stream.IntStream.of(1, 2)",
        "List.of(1, 2).iterator()",
        "new org.springframework.data.domain.PageImpl<>(List.of(1, 2))",
    ],
)
async def test_every_kind_of_sequence_is_a_list(program, returned):
    await program.compile_code(f"public static Object call() {{ return {returned}; }}", IMPORTS)
    envelope = await program.call_code({"kind": "list", "element": {"kind": "scalar", "type": "int"}})
    assert [each["v"] for each in envelope["value"]["v"]] == ["1", "2"]


@pytest.mark.parametrize(
    ("java", "cells"),
    [
        ("List<Integer>", "12"),
        ("Set<Long>", "12"),
        ("Collection<? extends Number>", ""),
        ("int[]", "12"),
        ("Iterable<String>", "12"),
    ],
)
async def test_a_list_fits_collections_and_arrays(program, java, cells):
    await program.compile_code(f"public static Object call({java} values) {{ return values; }}", IMPORTS)
    values = {"t": "list", "v": [{"t": "int", "v": each} for each in cells]}
    envelope = await program.call_code({"kind": "list", "element": {"kind": "scalar", "type": "int"}}, values=values)
    assert [each["v"] for each in envelope["value"]["v"]] == list(cells)


async def test_arguments_go_to_parameters_by_name_and_overloads_by_what_fits(program):
    await program.compile_code(
        "public static String call(int first, String second) { return first + second; }\n"
        'public static String call(boolean first, String second) { return "bool" + second; }'
    )
    swapped = await program.call_code(
        {"kind": "scalar", "type": "string"}, second={"t": "string", "v": "b"}, first={"t": "int", "v": "1"}
    )
    assert swapped["value"]["v"] == "1b"
    other = await program.call_code(
        {"kind": "scalar", "type": "string"}, first={"t": "bool", "v": "true"}, second={"t": "string", "v": "b"}
    )
    assert other["value"]["v"] == "boolb"


async def test_an_object_fits_a_record_whatever_the_case_of_its_members(program):
    await program.compile_code(
        "public record Window(LocalDate from, Integer days) {}\n"
        "public static String call(Window window) { return window.from().plusDays(window.days()).toString(); }",
        IMPORTS,
    )
    window = {
        "t": "object",
        "name": "Window",
        "f": {"Days": {"t": "int", "v": "2"}, "From": {"t": "date", "v": "2024-02-28"}},
    }
    envelope = await program.call_code({"kind": "scalar", "type": "string"}, window=window)
    assert envelope["value"]["v"] == "2024-03-01"


@pytest.mark.parametrize(
    ("java", "cell"),
    [
        ("int", {"t": "long", "v": "3000000000"}),
        ("int", {"t": "decimal", "v": "1.5"}),
        ("boolean", {"t": "string", "v": "yes"}),
        ("LocalDate", {"t": "datetime", "v": "2024-01-01T10:00:00.0000000"}),
        ("Object", {"t": "int", "v": "1"}),
        ("String", {"t": "list", "v": []}),
        ("StringBuilder", {"t": "string", "v": "x"}),
    ],
)
async def test_a_cell_that_does_not_fit_is_refused_and_never_bent(program, java, cell):
    await program.compile_code(f"public static Object call({java} value) {{ return value; }}", IMPORTS)
    with pytest.raises(JobRefused, match=r"app\.Code\.call\(value\)") as refused:
        await program.call_code({"kind": "scalar", "type": "string"}, value=cell)
    assert refused.value.stage == "arguments"


async def test_a_map_is_read_by_its_keys(program):
    await program.compile_code('public static Object call() { return new org.bson.Document("n", 3); }')
    shape = {
        "kind": "object",
        "name": "Row",
        "fields": [{"name": "N", "accessor": "n", "shape": {"kind": "scalar", "type": "int"}}],
    }
    envelope = await program.call_code(shape)
    assert envelope["value"] == {"t": "object", "name": "Row", "f": {"N": {"t": "int", "v": "3"}}}
    shape["fields"][0]["accessor"] = "m"
    with pytest.raises(JobRefused, match='the map has no key "m"'):
        await program.call_code(shape)


async def test_a_map_as_a_list_gives_its_entries(program):
    await program.compile_code('public static Object call() { return java.util.Map.of("k", 1); }')
    key, value = ({"kind": "scalar", "type": kind} for kind in ("string", "int"))
    fields = [
        {"name": "Key", "accessor": "getKey", "shape": key},
        {"name": "Value", "accessor": "getValue", "shape": value},
    ]
    envelope = await program.call_code({
        "kind": "list",
        "element": {"kind": "object", "name": "Pair", "fields": fields},
    })
    (entry,) = envelope["value"]["v"]
    assert entry["f"] == {"Key": {"t": "string", "v": "k"}, "Value": {"t": "int", "v": "1"}}
