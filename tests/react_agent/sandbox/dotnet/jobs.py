"""What tests send to the .NET worker: cells, calls, samples."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from react_agent.sandbox.job import Worker

SAMPLES = Path(__file__).with_name("samples")
NULL: Mapping[str, Any] = {"t": "null"}


def cell(kind: str, text: str, **more: str) -> dict[str, Any]:
    return {"t": kind, "v": text, **more}


def number(value: int) -> dict[str, Any]:
    return cell("int", str(value))


def text(value: str) -> dict[str, Any]:
    return cell("string", value)


def cells(*items: Mapping[str, Any]) -> dict[str, Any]:
    return {"t": "list", "v": list(items)}


def call(owner: str, method: str, *, instance: str = "one", **arguments: Mapping[str, Any]) -> dict[str, Any]:
    named = [{"name": name, "value": value} for name, value in arguments.items()]
    return {"id": method, "instance": instance, "class": owner, "method": method, "args": named}


def sample(name: str) -> dict[str, Any]:
    return source((SAMPLES / name).read_text(encoding="utf-8"), name)


def source(code: str, path: str = "Code.cs") -> dict[str, Any]:
    return {"sources": [{"path": path, "text": code}]}


async def ran(worker: Worker, name: str, tables: Mapping[str, Any], *calls: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Compile a sample, load one instance, make the calls."""
    await worker.request("compile", sample(name))
    instances = [{"id": "one", "tables": tables}]
    return (await worker.request("run", {"instances": instances, "calls": calls}))["envelopes"]


def values(envelopes: list[dict[str, Any]]) -> list[Any]:
    return [envelope["value"].get("v") for envelope in envelopes]


ORDER = "11111111-1111-1111-1111-111111111111"
SHOP = {
    "Orders": [
        {
            "Id": cell("guid", ORDER),
            "CustomerId": number(1),
            "Size": cell("enum", "5", type="Size", name="Large"),
            "Traits": cell("enum", "3"),
            "Total": cell("decimal", "9.90"),
            "PlacedAt": cell("datetimeoffset", "2024-01-01T00:00:00.0000000+02:00"),
            "Due": cell("date", "2024-02-29"),
            "Lead": cell("timespan", "1.02:03:04"),
            "Scores": cells(number(1), number(2)),
            "Seal": cell("bytes", "AQI="),
        }
    ],
    "Customers": [
        {
            "Id": number(1),
            "Name": text("Ann"),
            "Rank": number(3),
            "Home_Street": text("High St"),
            "Home_Note": NULL,
            "Contact": cell("json", '{"Mail":"a@b","Phones":["1","2"]}'),
        },
        {"Id": number(2), "Name": text("gone"), "Rank": number(3), "Home_Street": text("x"), "Contact": NULL},
    ],
    "Line": [{"OrderId": cell("guid", ORDER), "Id": number(1), "Sku": text("K1"), "Pieces": number(4)}],
    "Payments": [
        {"Id": number(1), "Amount": cell("decimal", "1.5")},
        {"Id": number(2), "Amount": cell("decimal", "2")},
    ],
    "CardPayment": [{"Id": number(1), "Digits": text("42")}],
    "CashPayment": [{"Id": number(2), "Drawer": NULL}],
}
LINKS = {
    "Link": [{"Id": number(1), "PageId": number(1)}, {"Id": number(2), "PageId": number(1)}],
    "Pages": [{"Id": number(1), "Title": text("home"), "Seen": cell("datetime", "2024-01-01T00:00:00.0000000")}],
    "popular": [{"Id": number(7), "Title": text("seven")}],
}
DEPOT = {
    "Owners": [{"Code": text("a"), "Notes": cell("json", '[{"Text":"n"}]'), "Limit_Most": number(5)}],
    "Units": [
        {
            "Id": number(1),
            "Kind": cell("enum", "1"),
            "Label": text("first"),
            "Sealed": cell("bool", "true"),
            "Now_Hall": text("north"),
            "Now_Size_Width": number(2),
            "Now_Size_Height": number(3),
            "OwnerCode": text("a"),
        }
    ],
    "Tags": [{"Id": number(1), "Text": text("red")}],
    "OwnerTag": [{"OwnersCode": text("a"), "TagsId": number(1)}],
}
