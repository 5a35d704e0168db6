from react_agent.model.query import GroupBy, Outcome, QueryModel, walk
from react_agent.proof.calls import make_calls
from react_agent.proof.compare import compare
from react_agent.proof.evaluate import evaluate
from react_agent.proof.instances import make_instances
from react_agent.proof.mutants import mutants, score
from react_agent.proof.order import order_rule
from react_agent.proof.pages import with_unpaged
from react_agent.proof.runtime import Unknown
from tests.react_agent.proof.models import (
    CLAIMS,
    FREIGHT,
    OF_BADGE,
    PIECES_BOOKED,
    SPAN,
    const,
    each,
    entity,
    foreign,
    get,
    mapping,
    method,
    new,
    one,
    op,
    order,
    param,
    prop,
    query,
    skip,
    source,
    sub,
    take,
    var,
    where,
)

LINE = var("l", "Line")
SHEET = mapping(
    entity(
        "Line",
        [
            prop("Id", "int"),
            prop("Shelf", "string?"),
            prop("Scan", "string?"),
            prop("OwnerId", "int?"),
            prop("Count", "int"),
        ],
        navigations=(one("Owner", "Owner", "OwnerId"),),
        foreign_keys=(foreign("OwnerId", "Owner", required=False),),
    ),
    entity("Owner", [prop("Id", "int"), prop("Name", "string")]),
)
SHELF, SCAN = get(LINE, "Shelf", "string?"), get(LINE, "Scan", "string?")
ROW = new("Row", Id=get(LINE, "Id", "int"), Owner=get(get(LINE, "Owner", "Owner?"), "Name", "string?"))


def lines(*clauses, element=ROW, outcome=Outcome.LIST, kind="List<Row>", **parameters):
    return method("M", query([source("l", "Line"), *clauses], element, outcome, kind), **parameters)


def said(entry, model=SHEET):
    return [m.description for m in mutants(entry, model)]


ENTRIES = [
    (FREIGHT, PIECES_BOOKED),
    (CLAIMS, OF_BADGE),
    (SHEET, lines(where(op(SHELF, "!=", SCAN)))),
    (
        SHEET,
        lines(
            where(
                op(op(get(LINE, "Count", "int"), ">=", const(3, "int")), "&&", op(SHELF, "==", param("p", "string?")))
            ),
            p="string?",
        ),
    ),
    (
        SHEET,
        lines(
            order((get(LINE, "Count", "int"), True), get(LINE, "Id", "int")),
            skip(const(1, "int")),
            take(const(2, "int")),
        ),
    ),
]


def differs(mutant, answer, model, tables, args, rule):
    try:
        return compare(answer, evaluate(mutant.method, model, tables, args), rule) is not None
    except Unknown:
        return False


def test_every_mutant_is_told_apart_by_the_suite():
    total = killed = 0
    for model, entry in ENTRIES:
        instances = make_instances(model, QueryModel(methods=(entry,)), 11)
        by_id = {i.id: i for i in instances}
        calls = make_calls(entry, model, instances, 11)
        made = mutants(entry, model)
        dead = set()
        for call in calls:
            tables = by_id[call.instance].tables
            if call.instance == "widest":
                continue  # The interpreter does not follow an overflow.
            answer = evaluate(entry, model, tables, dict(call.args))
            rule = with_unpaged(
                order_rule(entry, model, dict(call.args)), entry, model, by_id[call.instance], call, answer
            )
            dead |= {m.id for m in made if differs(m, answer, model, tables, dict(call.args), rule)}
        found = score(made, dead)
        total, killed = total + found.live, killed + found.killed
        assert found.live == len(made) > 4
    assert killed / total >= 0.95


def test_each_mutant_is_a_whole_method_under_its_own_name():
    made = mutants(PIECES_BOOKED, FREIGHT)

    names = [m.method.method for m in made]
    assert len(set(names)) == len(made)
    assert all(n.startswith("PiecesBookedByMutant") and n.endswith("Async") for n in names)
    assert all(m.method.parameters == PIECES_BOOKED.parameters for m in made)
    assert all(m.method.query != PIECES_BOOKED.query for m in made)


def test_mutants_that_change_nothing_are_left_out():
    descriptions = said(PIECES_BOOKED, FREIGHT)

    assert "a join became outer" not in descriptions
    assert "Sum became Max" in descriptions


def test_migration_faults_are_among_them():
    descriptions = said(lines(where(op(SHELF, "!=", SCAN))))

    assert "Shelf != lost its nulls" in descriptions
    assert "rows without Owner were lost" in descriptions
    assert "!= ignored case" in descriptions


def test_pages_and_orders_are_mutated():
    entry = lines(
        order((get(LINE, "Count", "int"), True), get(LINE, "Id", "int")), skip(const(1, "int")), take(const(2, "int"))
    )
    descriptions = said(entry)

    assert {"Skip was dropped", "Take was one too many", "sort key 1 was dropped"} <= set(descriptions)
    assert "a sort direction was reversed" in descriptions


def test_first_and_single_are_neighbours():
    entry = lines(
        where(op(get(LINE, "Id", "int"), ">", const(1, "int"))), outcome=Outcome.SINGLE_OR_DEFAULT, kind="Row?"
    )

    assert {"SingleOrDefault became FirstOrDefault", "SingleOrDefault became Single"} <= set(said(entry))


def test_the_number_of_mutants_is_bounded():
    condition = op(SHELF, "==", SCAN)
    for _ in range(6):
        condition = op(condition, "&&", op(SHELF, "!=", SCAN))

    assert len(list(walk(condition))) > 10
    assert len(mutants(lines(where(condition)), SHEET, most=12)) <= 12


def test_the_score_names_the_survivors():
    made = mutants(PIECES_BOOKED, FREIGHT)

    found = score(made, {m.id for m in made[1:]})

    assert (found.live, found.killed, found.survivors) == (len(made), len(made) - 1, (made[0].description,))


def test_groups_lose_their_nulls_and_their_times():
    by_shelf = GroupBy(variable="g", key=SHELF, element=LINE, span=SPAN)
    group = var("g", "Group")
    members = sub([each("x", group)], var("x", "Line"), Outcome.COUNT, "int")
    row = new("Row", Key=get(group, "Key", "string?"), Count=members)
    entry = method("M", query([source("l", "Line"), by_shelf], row, Outcome.LIST, "List<Row>"))

    assert "the group of nulls was lost" in said(entry)
