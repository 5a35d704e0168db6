"""A C# program that a person can run with `dotnet run`: one instance in SQLite in memory, its calls, their results as JSON."""

import re
from collections.abc import Iterable

from react_agent.model.mapping import MappingModel, Property
from react_agent.model.query import QueryMethod, QueryModel
from react_agent.model.values import Cell, CellType
from react_agent.proof.calls import Call
from react_agent.proof.instances import Instance

ENTRY_TYPE = "UomProof"
"""The class whose `Main` runs the program."""

_NUMBERS = frozenset("byte sbyte short ushort int uint long ulong".split())


def database(mapping: MappingModel, instance: Instance) -> str:
    """Write the class that opens the context over a database with the instance's rows."""
    context = f"global::{mapping.namespace}.{mapping.context}" if mapping.namespace else mapping.context
    rows = "\n".join(f"        {_text(sql)}," for sql in _inserts(mapping, instance))
    return f"""using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;

/// <summary>Opens {mapping.context} over SQLite in memory, with the rows of instance {instance.id}.</summary>
public static class UomDatabase
{{
    public static {context} Open()
    {{
        var connection = new SqliteConnection("Data Source=:memory:;Foreign Keys=False");
        connection.Open();
        var options = new DbContextOptionsBuilder<{context}>().UseSqlite(connection).Options;
        var context = new {context}(options);
        context.Database.EnsureCreated();
        foreach (var sql in Rows)
        {{
            using var command = connection.CreateCommand();
            command.CommandText = sql;
            command.ExecuteNonQuery();
        }}

        return context;
    }}

    private static readonly string[] Rows =
    [
{rows}
    ];
}}
"""


def program(queries: QueryModel, methods: Iterable[tuple[QueryMethod, Call]]) -> str:
    """Write the class with `Main`: each call on a fresh context, its result as one line of JSON."""
    spaces = dict(queries.namespaces)
    uses = sorted({namespace for namespace in spaces.values() if namespace})
    calls = "\n".join(_call(method, call, spaces.get(method.class_name, "")) for method, call in methods)
    usings = "\n".join(f"using {name};" for name in uses)
    return f"""using System;
using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Threading.Tasks;
{usings}

/// <summary>Calls the entries as they are and prints what each returned.</summary>
public static class {ENTRY_TYPE}
{{
    private static readonly JsonSerializerOptions Json = new() {{ ReferenceHandler = ReferenceHandler.IgnoreCycles }};

    public static async Task Main()
    {{
{calls}
    }}

    private static async Task Show(string call, Func<Task<object?>> run)
    {{
        try
        {{
            Console.WriteLine($"{{call}} {{JsonSerializer.Serialize(await run(), Json)}}");
        }}
        catch (Exception error)
        {{
            Console.WriteLine($"{{call}} throws {{error.GetType().FullName}}");
        }}
    }}
}}
"""


def _call(method: QueryMethod, call: Call, namespace: str) -> str:
    class_name = f"global::{namespace}.{method.class_name}" if namespace else method.class_name
    args = ", ".join(_argument(cell) for _, cell in call.args)
    invoked = f"new {class_name}(db).{method.method}({args})"
    body = f"await {invoked}" if method.is_async else invoked
    return (
        f"        await Show({_text(call.id)}, async () =>\n        {{\n"
        f"            await using var db = UomDatabase.Open();\n            await Task.Yield();\n"
        f"            return {body};\n        }});"
    )


def _argument(cell: Cell) -> str:
    text = cell.text or ""
    match cell.type:
        case CellType.NULL:
            return "null!"
        case CellType.STRING:
            return _text(text)
        case CellType.DECIMAL:
            return f"{text}m"
        case CellType.DOUBLE | CellType.FLOAT:
            return f'{cell.type}.Parse("{text}", CultureInfo.InvariantCulture)'
        case CellType.LIST:
            return f"[{', '.join(_argument(item) for item in cell.items)}]"
        case CellType.ENUM:
            return f"({cell.enum}){text}"
        case CellType.BOOL:
            return text.lower()
        case CellType.CHAR:
            return f"{_text(text)}[0]"
    if cell.type.value in _NUMBERS:
        return f"({cell.type}){text}" if text.startswith("-") is False else f"({cell.type})({text})"
    return f'{_PARSED[cell.type]}.Parse("{text}", CultureInfo.InvariantCulture)'


_PARSED = {
    CellType.DATETIME: "DateTime",
    CellType.DATETIMEOFFSET: "DateTimeOffset",
    CellType.DATE: "DateOnly",
    CellType.TIME: "TimeOnly",
    CellType.TIMESPAN: "TimeSpan",
    CellType.GUID: "Guid",
    CellType.BYTES: "Convert.FromBase64String",
    CellType.URI: "Uri",
    CellType.JSON: "string",
}


def _text(text: str) -> str:
    escaped = "".join(
        {'"': '\\"', "\\": "\\\\"}.get(c) or (c if c.isprintable() else f"\\u{ord(c):04x}" if ord(c) < 65536 else c)
        for c in text
    )
    return f'"{escaped}"'


def _inserts(mapping: MappingModel, instance: Instance) -> Iterable[str]:
    columns = {(e.table, p.column): p for e in mapping.entities if e.table for p in e.properties}
    for table, rows in instance.tables.items():
        for row in rows:
            names = ", ".join(f'"{name}"' for name in row)
            values = ", ".join(_stored(cell, columns.get((table, name))) for name, cell in row.items())
            yield f'INSERT INTO "{table}" ({names}) VALUES ({values})'


def _stored(cell: Cell, prop: Property | None) -> str:
    """A cell as EF Core's SQLite provider stores it. See https://learn.microsoft.com/ef/core/providers/sqlite/value-generation."""
    text = cell.text or ""
    if cell.is_null:
        return "NULL"
    if cell.stored is not None:
        return _quoted(cell.stored)
    if cell.type == CellType.ENUM:
        return _quoted(cell.name or "") if prop is not None and prop.provider_type == "string" else text
    if cell.type == CellType.BOOL:
        return "1" if text.lower() == "true" else "0"
    if cell.type == CellType.DATETIME:
        return _quoted(re.sub(r"\.?0+$", "", text.replace("T", " ")) if "." in text else text.replace("T", " "))
    if cell.type == CellType.GUID:
        return _quoted(text.upper())
    if cell.type.value in _NUMBERS or cell.type in {CellType.DOUBLE, CellType.FLOAT}:
        return text
    if cell.type == CellType.DECIMAL:
        return _quoted(text if "." in text else f"{text}.0")
    return _quoted(text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
