"""A manifest's pairs are proven where they are the rules' own, and named where they are not."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from react_agent.draft import draft
from react_agent.model.manifest import BadManifest, Manifest, manifest_of, read_manifest
from react_agent.model.shape import FieldShape, ListShape, ObjectShape, ScalarShape
from react_agent.model.translation import EntryPair, SourceFile, Translation
from react_agent.model.values import CellType
from react_agent.pairing import Pairing, paired
from tests.react_agent.chain import layer

ENTRY = "OrchardQueries.TallAsync"
DECOY = SourceFile(path="src/main/java/decoy/Other.java", text="package decoy;\npublic class Other {}\n")


@pytest.fixture(scope="module")
def rules() -> Translation:
    return draft(layer("orchard")).translation


@pytest.fixture(scope="module")
def manifest(rules: Translation) -> Manifest:
    made = draft(layer("orchard"))
    return read_manifest(manifest_of(rules, made.mapping, made.sources, "java-spring-data-mongodb").to_text())


def edited(manifest: Manifest, edit: Callable[[EntryPair], EntryPair]) -> Manifest:
    pairs = [edit(pair) if pair.entry == ENTRY else pair for pair in manifest.entries]
    assert tuple(pairs) != manifest.entries
    return replace(manifest, entries=tuple(pairs))


def pair_of(pairing: Pairing) -> EntryPair:
    return next(pair for pair in pairing.translation.entries if pair.entry == ENTRY)


def members(pair: EntryPair) -> tuple[FieldShape, ...]:
    assert isinstance(pair.shape, ListShape)
    assert isinstance(pair.shape.element, ObjectShape)
    return pair.shape.element.fields


def with_members(pair: EntryPair, fields: tuple[FieldShape, ...]) -> EntryPair:
    assert isinstance(pair.shape, ListShape)
    assert isinstance(pair.shape.element, ObjectShape)
    return replace(pair, shape=ListShape(element=replace(pair.shape.element, fields=fields)))


def test_the_manifest_as_it_was_written_says_nothing(rules: Translation, manifest: Manifest) -> None:
    assert paired(manifest, rules, rules.files) == Pairing(translation=rules, reservations={})


def test_a_decoy_beside_the_written_class_is_not_proven(rules: Translation, manifest: Manifest) -> None:
    tampered = edited(manifest, lambda pair: replace(pair, java_class="decoy.Other"))
    found = paired(tampered, rules, (*rules.files, DECOY))
    own = next(pair for pair in rules.entries if pair.entry == ENTRY)
    assert pair_of(found) == own
    (said,) = found.reservations[ENTRY]
    assert f"decoy.Other.{own.java_method}" in said
    assert f"{own.java_class}.{own.java_method}" in said


def test_a_class_that_was_renamed_is_proven_and_named(rules: Translation, manifest: Manifest) -> None:
    own = next(pair for pair in rules.entries if pair.entry == ENTRY)
    simple = own.java_class.rpartition(".")[2]
    files = tuple(replace(f, text=f.text.replace(f"class {simple} ", "class Renamed ")) for f in rules.files)
    named = edited(manifest, lambda pair: replace(pair, java_class=own.java_class.replace(simple, "Renamed")))
    found = paired(named, rules, files)
    assert pair_of(found).java_class.endswith(".Renamed")
    assert "the rules would pair it with" in found.reservations[ENTRY][0]


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda fields: fields[1:], "leaves out"),
        (lambda fields: (replace(fields[0], name="Other"), *fields[1:]), "leaves out"),
        (lambda fields: (*fields, replace(fields[0], name="More")), "has More in"),
        (lambda fields: (*fields, fields[0]), "does not have so"),
        (lambda fields: (replace(fields[0], shape=ScalarShape(type=CellType.JSON)), *fields[1:]), "has json for"),
    ],
)
def test_a_shape_that_tells_something_else_is_refused(rules: Translation, manifest: Manifest, edit, said: str) -> None:
    tampered = edited(manifest, lambda pair: with_members(pair, edit(members(pair))))
    with pytest.raises(BadManifest, match=f"uom.json: entries: {ENTRY}: its shape .*{said}"):
        paired(tampered, rules, rules.files)


def test_another_accessor_is_named(rules: Translation, manifest: Manifest) -> None:
    def edit(pair: EntryPair) -> EntryPair:
        first, *others = members(pair)
        return with_members(pair, (replace(first, accessor="decoy"), *others))

    assert "by other accessors" in paired(edited(manifest, edit), rules, rules.files).reservations[ENTRY][0]


def test_documents_and_a_configuration_of_ones_own_are_named(rules: Translation, manifest: Manifest) -> None:
    documents = replace(manifest.documents, documents=manifest.documents.documents[1:])
    found = paired(replace(manifest, documents=documents, configuration="decoy.Other"), rules, rules.files)
    for pair in rules.entries:
        configuration, mapped = found.reservations[pair.entry]
        assert configuration == f"uom.json names the configuration decoy.Other, the rules' is {rules.configuration}"
        assert manifest.documents.documents[0].entity in mapped


def test_an_entry_that_is_left_out_is_proven_all_the_same(rules: Translation, manifest: Manifest) -> None:
    fewer = replace(manifest, entries=tuple(pair for pair in manifest.entries if pair.entry != ENTRY))
    found = paired(fewer, rules, rules.files)
    assert {pair.entry for pair in found.translation.entries} == {pair.entry for pair in rules.entries}
    assert found.reservations.keys() == {ENTRY}
    with pytest.raises(BadManifest, match=f"{ENTRY} is not paired"):
        paired(fewer, rules, (DECOY,))


def test_an_entry_that_stands_twice_is_refused(rules: Translation, manifest: Manifest) -> None:
    with pytest.raises(BadManifest, match="stands there twice"):
        paired(replace(manifest, entries=(*manifest.entries, manifest.entries[0])), rules, rules.files)
