"""A Java program that a person can run against a MongoDB of their own: the same instance, the same calls."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from react_agent.model.translation import EntryPair
from react_agent.model.values import Cell, CellType
from react_agent.proof.calls import Call

ENTRY_TYPE = "UomProof"
"""The class whose `main` runs the program."""


def database(package: str, documents: Mapping[str, list[dict[str, Any]]]) -> str:
    """Write the class that fills a MongoDB database with the instance's documents."""
    inserts = "\n".join(
        f"        insert(mongo, {_text(name)}, {_text(json.dumps(document, ensure_ascii=False))});"
        for name, found in documents.items()
        for document in found
    )
    return f"""package {package};

import org.bson.Document;
import org.springframework.data.mongodb.core.MongoOperations;

/** Fills an empty database with the rows that the C# program has, as documents. */
final class UomDatabase {{

    private UomDatabase() {{
    }}

    static void fill(MongoOperations mongo) {{
{inserts}
    }}

    private static void insert(MongoOperations mongo, String collection, String json) {{
        mongo.getCollection(collection).insertOne(Document.parse(json));
    }}
}}
"""


def program(configuration: str, calls: Iterable[tuple[EntryPair, Call]]) -> str:
    """Write the class with `main`; its argument is the address of an empty scratch database."""
    package = configuration.rsplit(".", 1)[0]
    found = list(calls)
    classes = sorted({pair.java_class for pair, _ in found})
    registered = ", ".join([f"{configuration}.class", *(f"{name}.class" for name in classes)])
    shown = "\n".join(
        f"            show({_text(call.id)}, () -> context.getBean({pair.java_class}.class)"
        f".{pair.java_method}({', '.join(_argument(cell) for _, cell in call.args)}));"
        for pair, call in found
    )
    return f"""package {package};

import java.util.concurrent.Callable;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.data.mongodb.core.MongoOperations;

/** Calls the translated entries and prints what each returned. Argument: mongodb://host/EMPTY_SCRATCH_DATABASE. */
public final class {ENTRY_TYPE} {{

    private {ENTRY_TYPE}() {{
    }}

    public static void main(String[] args) {{
        System.setProperty("spring.mongodb.uri", args.length > 0 ? args[0] : "mongodb://localhost:27017/uom_proof");
        try (var context = new AnnotationConfigApplicationContext({registered})) {{
            UomDatabase.fill(context.getBean(MongoOperations.class));
{shown}
        }}
    }}

    private static void show(String call, Callable<?> run) {{
        try {{
            System.out.println(call + " " + run.call());
        }} catch (Exception error) {{
            System.out.println(call + " throws " + error.getClass().getName());
        }}
    }}
}}
"""


def _argument(cell: Cell) -> str:
    text = cell.text or ""
    match cell.type:
        case CellType.NULL:
            return "null"
        case CellType.STRING | CellType.URI | CellType.JSON:
            return _text(text)
        case CellType.DECIMAL:
            return f'new java.math.BigDecimal("{text}")'
        case CellType.DATETIME:
            return f'java.time.Instant.parse("{text}Z")'
        case CellType.DATETIMEOFFSET:
            return f'java.time.OffsetDateTime.parse("{text}").toInstant()'
        case CellType.DATE:
            return f'java.time.LocalDate.parse("{text}")'
        case CellType.TIME:
            return f'java.time.LocalTime.parse("{text}")'
        case CellType.GUID:
            return f'java.util.UUID.fromString("{text}")'
        case CellType.ENUM:
            return f"{cell.enum}.{_constant(cell.name or '')}"
        case CellType.LIST:
            return f"java.util.List.of({', '.join(_argument(item) for item in cell.items)})"
        case CellType.BOOL:
            return text.lower()
        case CellType.LONG | CellType.UINT:
            return f"{text}L"
        case CellType.CHAR:
            return f"{_text(text)}.charAt(0)"
    return text


def _constant(name: str) -> str:
    return name


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=True)
