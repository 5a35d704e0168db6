"""EF Core's mapping has the lines of the text that declares it, so that every gap has a file and a line."""

from dataclasses import replace

import pytest

from react_agent.csharp import read
from react_agent.draft import draft
from react_agent.model.mapping import ClrType, EntityType, MappingModel
from react_agent.model.translation import SourceFile
from tests.react_agent.csharp.sources import SHOP, USINGS

BASE = SourceFile(
    path="Base.cs", text="public abstract class Kept {\n  public System.TimeSpan Taken { get; set; }\n}\n"
)
MODEL = SourceFile(path="Model.cs", text=USINGS + SHOP.replace("public class Item {", "public class Item : Kept {"))


@pytest.fixture(scope="module")
def printed() -> MappingModel:
    """The mapping as EF prints it: the same, without a place, and with a property that no class declares."""
    mapping = read([BASE, MODEL]).mapping
    assert mapping is not None
    return replace(mapping, origin="ef", entities=tuple(without_places(each) for each in mapping.entities))


def without_places(entity: EntityType) -> EntityType:
    shadow = replace(entity.properties[0], name="Secret", column="Secret", type=ClrType(name="TimeSpan"), shadow=True)
    properties = (*entity.properties, shadow) if entity.name == "Shop" else entity.properties
    return replace(
        entity,
        span=None,
        properties=tuple(replace(each, span=None) for each in properties),
        navigations=tuple(replace(each, span=None) for each in entity.navigations),
    )


def test_each_part_has_the_place_of_its_declaration(printed: MappingModel) -> None:
    text, placed = read([BASE, MODEL]).mapping, read([BASE, MODEL], mapping=printed).mapping
    assert text is not None
    assert placed is not None
    for entity in placed.entities:
        own = text.find(entity.name)
        assert own is not None
        assert entity.span == own.span
        spans = {each.name: each.span for each in (*own.properties, *own.navigations)}
        found = {each.name: each.span for each in (*entity.properties, *entity.navigations)}
        assert found == spans | ({"Secret": entity.span} if entity.name == "Shop" else {})


def test_a_gap_of_an_inherited_member_names_the_file_of_its_class(printed: MappingModel) -> None:
    gaps = [gap for gap in draft([BASE, MODEL], mapping=printed).gaps if gap.construct == "TimeSpan"]
    shop = next(number for number, line in enumerate(MODEL.text.splitlines(), 1) if "class Shop " in line)
    assert {str(gap.span) for gap in gaps} == {"Base.cs:2", f"Model.cs:{shop}"}
