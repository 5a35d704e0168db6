from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from react_agent.model.mapping import CheckConstraint, Index
from react_agent.model.query import Outcome, QueryModel
from react_agent.model.values import NULL, CellType
from react_agent.proof.closure import violations
from react_agent.proof.instances import Instance, make_instances
from react_agent.proof.pools import LARGEST_POOL, pools_of
from react_agent.proof.tables import tables_of
from tests.react_agent.proof.models import (
    CLAIMS,
    FREIGHT,
    OF_BADGE,
    PIECES_BOOKED,
    const,
    entity,
    enum,
    foreign,
    get,
    many,
    mapping,
    method,
    one,
    op,
    prop,
    query,
    source,
    var,
    where,
)
from tests.react_agent.proof.sqlite import load

NO_QUERIES = QueryModel(methods=())

TREE = mapping(
    entity(
        "Node",
        [prop("Id", "Guid"), prop("ParentId", "Guid?"), prop("Name", "string", max_length=3)],
        navigations=(one("Parent", "Node", "ParentId"), many("Children", "Node", "ParentId")),
        foreign_keys=(foreign("ParentId", "Node", required=False),),
        indexes=(Index(properties=("ParentId", "Name"), unique=True),),
    )
)
CYCLE = mapping(
    entity(
        "Team",
        [prop("Id", "int"), prop("LeadId", "int?"), prop("Code", "string", max_length=2)],
        foreign_keys=(foreign("LeadId", "Person", required=False),),
        alternate_keys=(("Code",),),
    ),
    entity(
        "Person",
        [prop("Id", "int"), prop("TeamCode", "string", max_length=2)],
        foreign_keys=(foreign("TeamCode", "Team", "Code"),),
    ),
)
LINKS = mapping(
    entity("Post", [prop("Id", "int")]),
    entity("Tag", [prop("Code", "string")], ("Code",)),
    entity(
        "PostTag",
        [prop("PostsId", "int"), prop("TagsCode", "string"), prop("Weight", "int")],
        ("PostsId", "TagsCode"),
        foreign_keys=(foreign("PostsId", "Post"), foreign("TagsCode", "Tag", "Code")),
        check_constraints=(CheckConstraint(name="ck", sql='"Weight" > 0 AND "Weight" < 100'),),
    ),
)
SHARED_KEY = mapping(
    entity("User", [prop("Id", "int"), prop("Name", "string?")]),
    entity("Profile", [prop("Id", "int"), prop("Bio", "string")], foreign_keys=(foreign("Id", "User", unique=True),)),
)
HIERARCHY = mapping(
    entity(
        "Plant",
        [prop("Id", "int"), prop("Kind", "string", shadow=True), prop("Name", "string")],
        discriminator="Kind",
        discriminator_value="plain",
    ),
    entity("Trial", [prop("Protocol", "string")], (), table="Plants", base="Plant", discriminator_value="trial"),
)
MONEY = mapping(
    entity(
        "Bill",
        [
            prop("Id", "long"),
            prop("Total", "decimal", precision=6, scale=2),
            prop("Rate", "double?"),
            prop("State", "Stage"),
            prop("Due", "DateOnly"),
            prop("At", "DateTimeOffset"),
            prop("Took", "TimeSpan?"),
            prop("Data", "byte[]?"),
            prop("Letter", "char"),
        ],
        check_constraints=(CheckConstraint(name="ck", sql="[Total] >= 0"),),
    ),
    enums=[enum("Stage", "New", "Paid")],
)

ODD = {
    "freight": FREIGHT,
    "claims": CLAIMS,
    "tree": TREE,
    "cycle": CYCLE,
    "links": LINKS,
    "shared": SHARED_KEY,
    "hierarchy": HIERARCHY,
    "money": MONEY,
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_instance_loads_into_a_database_with_the_mappings_constraints(name, seed):
    model = ODD[name]
    instances = make_instances(model, NO_QUERIES, seed)

    for instance in instances:
        assert violations(tables_of(model), instance.tables) == ()
        assert sum(load(model, instance.tables).values()) == instance.size
    assert all(any(i.tables[t] for i in instances) for t in model.tables())


KINDS = st.sampled_from(["int", "string", "decimal", "DateTime", "bool", "Guid", "double", "long"])


@st.composite
def generated_mappings(draw):
    """Two to four tables with keys of one or two columns, references, alternate keys and lengths."""
    entities = []
    for at in range(draw(st.integers(2, 4))):
        keys = draw(st.lists(st.sampled_from(["int", "string", "Guid", "long"]), min_size=1, max_size=2))
        properties = [prop(f"K{n}", kind) for n, kind in enumerate(keys)]
        for n, kind in enumerate(draw(st.lists(KINDS, max_size=4))):
            suffix = "?" if draw(st.booleans()) else ""
            length = draw(st.sampled_from([None, 1, 4])) if kind == "string" else None
            properties.append(prop(f"P{n}", kind + suffix, max_length=length))
        references = []
        if entities and draw(st.booleans()):
            principal = draw(st.sampled_from(entities))
            required = draw(st.booleans())
            columns = []
            for n, k in enumerate(principal.key):
                column = f"R{n}"
                kind = str(principal.find_property(k).type) + ("" if required else "?")
                properties.append(prop(column, kind))
                columns.append(column)
            unique = draw(st.booleans())
            references.append(foreign(tuple(columns), principal.name, principal.key, required=required, unique=unique))
        indexes = (
            (Index(properties=("P0",), unique=True),)
            if draw(st.booleans()) and len(properties) > len(keys) and properties[len(keys)].name == "P0"
            else ()
        )
        entities.append(
            entity(
                f"E{at}",
                properties,
                tuple(f"K{n}" for n in range(len(keys))),
                foreign_keys=tuple(references),
                indexes=indexes,
            )
        )
    return mapping(*entities)


@settings(max_examples=40, deadline=None)
@given(generated_mappings(), st.integers(0, 1000))
def test_instances_of_any_mapping_respect_its_constraints(model, seed):
    for instance in make_instances(model, NO_QUERIES, seed):
        assert violations(tables_of(model), instance.tables) == ()
        assert sum(load(model, instance.tables).values()) == instance.size


def test_the_suite_is_empty_one_ten_random_special_and_boundary():
    kinds = [i.kind for i in make_instances(FREIGHT, NO_QUERIES, 5)]

    special = ["extreme", "widest", "below", "above", "large"]
    assert kinds == ["empty", "one", *["random"] * 10, *special, "boundary", "boundary"]


def test_the_same_seed_makes_the_same_rows_and_another_seed_others():
    one_, same, other = (make_instances(CLAIMS, NO_QUERIES, seed) for seed in (5, 5, 6))

    assert [i.to_json() for i in one_] == [i.to_json() for i in same]
    assert [i.to_json() for i in one_] != [i.to_json() for i in other]


def test_the_users_rows_come_last():
    user = Instance(id="user", kind="user", tables={"Consignments": (), "Crates": ()})

    assert make_instances(FREIGHT, NO_QUERIES, 5, user=user)[-1] is user


def test_instances_survive_writing_and_reading():
    for instance in make_instances(CLAIMS, NO_QUERIES, 5):
        assert Instance.from_json(instance.to_json()) == instance


def cells(instances, table, column):
    return [row[column] for i in instances for row in i.tables[table]]


def test_nulls_orphans_and_childless_parents_are_shown():
    instances = make_instances(CLAIMS, NO_QUERIES, 5)

    members = cells(instances, "claims", "MemberId")
    assert any(c.is_null for c in members)
    assert any(not c.is_null for c in members)
    assert any(c.is_null for c in cells(instances, "claims", "Target_Zone"))
    childless = [
        row
        for i in instances
        for row in i.tables["claims"]
        if all(line["ClaimId"].text != row["Id"].text for line in i.tables["claimLines"])
    ]
    assert childless


def test_values_repeat_and_have_twins_of_other_case():
    instances = make_instances(FREIGHT, NO_QUERIES, 5)
    per_instance = [[c.text for c in cells([i], "Consignments", "ShipperCode")] for i in instances]

    assert any(len(set(codes)) < len(codes) for codes in per_instance)
    assert any(a != b and a.lower() == b.lower() for codes in per_instance for a in codes for b in codes)


def test_a_self_reference_has_roots_loops_and_chains():
    instances = make_instances(TREE, NO_QUERIES, 5)
    nodes = [(i, row) for i in instances for row in i.tables["Nodes"]]

    assert any(row["ParentId"].is_null for _, row in nodes)
    assert any(row["ParentId"].text == row["Id"].text for _, row in nodes)
    grand = [
        row
        for i, row in nodes
        for parent in i.tables["Nodes"]
        if row["ParentId"].text == parent["Id"].text
        and parent["Id"].text != row["Id"].text
        and not parent["ParentId"].is_null
    ]
    assert grand


def test_a_hierarchy_shows_each_kind_with_only_its_columns():
    rows = [row for i in make_instances(HIERARCHY, NO_QUERIES, 5) for row in i.tables["Plants"]]

    assert {row["Kind"].text for row in rows} == {"plain", "trial"}
    assert all((row["Protocol"] == NULL) == (row["Kind"].text == "plain") for row in rows)


def test_a_literal_is_met_below_on_and_above():
    crate = var("c", "Crate")
    wanted = method(
        "Heavy",
        query(
            [source("c", "Crate"), where(op(get(crate, "Pieces", "int"), ">", const(4711, "int")))],
            crate,
            Outcome.LIST,
            "List<Crate>",
        ),
    )
    boundary = [i for i in make_instances(FREIGHT, QueryModel(methods=(wanted,)), 5) if i.kind == "boundary"]

    assert {"4710", "4711", "4712"} <= {c.text for c in cells(boundary, "Crates", "Pieces")}


def test_a_text_literal_is_met_in_other_case_with_blanks_and_inside():
    consignment = var("c", "Consignment")
    condition = op(get(consignment, "ShipperCode", "string"), "==", const("A.b%", "string"))
    wanted = method(
        "Of", query([source("c", "Consignment"), where(condition)], consignment, Outcome.LIST, "List<Consignment>")
    )

    boundary = [i for i in make_instances(FREIGHT, QueryModel(methods=(wanted,)), 5) if i.kind == "boundary"]

    codes = {c.text for c in cells(boundary, "Consignments", "ShipperCode")}
    assert {"A.b%", "a.B%", " A.b%", "A.b% ", "xA.b%y", "Axb%"} <= codes


def test_columns_that_a_query_compares_agree_and_disagree():
    line = var("l", "Line")
    sheet = mapping(entity("Line", [prop("Id", "int"), prop("Shelf", "string?"), prop("Scan", "string?")]))
    condition = op(get(line, "Scan", "string?"), "==", get(line, "Shelf", "string?"))
    wanted = method("Agree", query([source("l", "Line"), where(condition)], line, Outcome.LIST, "List<Line>"))

    rows = [row for i in make_instances(sheet, QueryModel(methods=(wanted,)), 5) for row in i.tables["Lines"]]

    pairs = {(row["Shelf"].is_null, row["Scan"].is_null, row["Shelf"].text == row["Scan"].text) for row in rows}
    assert {(True, True, True), (False, False, True), (False, False, False)} <= pairs
    assert {(True, False, False), (False, True, False)} & pairs


def test_check_constraints_hold_for_text_decimals_as_the_source_stores_them():
    rows = [row for i in make_instances(MONEY, NO_QUERIES, 5) for row in i.tables["Bills"]]

    assert rows
    assert all(not str(row["Total"].text).startswith("-") for row in rows)


def test_a_check_that_reads_files_or_never_ends_is_not_run():
    endless = "(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r) > 0"
    bad = replace(FREIGHT.entities[0], check_constraints=(CheckConstraint(name="ck", sql=endless),))
    model = replace(FREIGHT, entities=(bad, *FREIGHT.entities[1:]))

    assert len(make_instances(model, NO_QUERIES, 5)) == 19


def test_the_queries_of_the_samples_find_something():
    for model, wanted in ((FREIGHT, PIECES_BOOKED), (CLAIMS, OF_BADGE)):
        instances = make_instances(model, QueryModel(methods=(wanted,)), 9)
        assert all(i.size > 0 for i in instances if i.kind in {"one", "boundary"})


def test_enum_values_are_members():
    stages = cells(make_instances(CLAIMS, NO_QUERIES, 5), "claims", "Stage")

    assert {c.type for c in stages} == {CellType.ENUM}
    assert {c.name for c in stages} <= {"Draft", "Lodged", "InReview", "Settled", "TurnedDown"}


def test_pools_stay_small_however_often_columns_are_compared():
    line = var("l", "Line")
    columns = [get(line, f"C{n}", "string?") for n in range(5)]
    sheet = mapping(entity("Line", [prop("Id", "int"), *(prop(f"C{n}", "string?") for n in range(5))]))
    condition = op(columns[0], "==", const("A.b", "string"))
    for one_ in columns:
        for other in columns:
            condition = op(condition, "||", op(one_, "==", other))
    wanted = method("M", query([source("l", "Line"), where(condition)], line, Outcome.LIST, "List<Line>"))

    pools = pools_of(sheet, (wanted,), tables_of(sheet))

    assert all(0 < len(pools.of(("Lines", f"C{n}"))) <= LARGEST_POOL for n in range(5))
