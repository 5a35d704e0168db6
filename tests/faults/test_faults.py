"""Wrong translations are told from right ones: a part of the faults in each run, another one each day."""

import datetime
import os

import pytest

from react_agent.sandbox.validation import ValidationSandbox
from tests.faults.bench import Fate, fates
from tests.faults.java import calls, closing, each, split, without_stage
from tests.faults.kinds import METHOD_KINDS, PROJECT_KINDS
from tests.faults.layers import layers

DAY = int(os.environ.get("UOM_FAULTS_DAY") or datetime.datetime.now(datetime.UTC).toordinal())
"""Chooses which faults are put in today; set it to repeat a day."""
EVERY = 4


@pytest.mark.dotnet
@pytest.mark.jvm
@pytest.mark.timeout(300)
async def test_todays_faults_in_the_bundled_sample_are_caught():
    found = layers()["sample workshop"]
    try:
        told = await fates(found, DAY, part=slice(DAY % EVERY, None, EVERY))
    finally:
        await ValidationSandbox.close()

    assert not told.wrong
    assert sum(f.fate == Fate.CAUGHT for f in told.fates) >= 8
    assert [f"{f.fault.kind}, {f.fault.line}: {f.why}" for f in told.fates if f.fate == Fate.MISSED] == []


@pytest.mark.dotnet
@pytest.mark.jvm
@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_todays_layer_has_at_most_two_of_a_hundred_faults_missed():
    names = sorted(layers())
    name = names[DAY % len(names)]
    try:
        told = await fates(layers()[name], DAY, part=slice(DAY // len(names) % EVERY, None, EVERY))
    finally:
        await ValidationSandbox.close()

    live = [f for f in told.fates if f.fate != Fate.NO_CHANGE]
    missed = [f"{f.fault.kind}, {f.entry}, {f.fault.line}: {f.why}" for f in live if f.fate == Fate.MISSED]
    assert len(missed) <= 0.02 * len(live), (name, missed)


def test_there_is_a_kind_for_each_fault_that_migrations_are_known_to_make():
    assert len({*METHOD_KINDS, *PROJECT_KINDS}) == len(METHOD_KINDS) + len(PROJECT_KINDS) >= 24


CODE = 'match(where("a").is("x)")), sort(Sort.by("a", "_id")), limit(2)'


def test_brackets_in_texts_are_none():
    assert CODE[: closing(CODE, CODE.index("("))] == 'match(where("a").is("x)"))'
    assert split(CODE)[0] == 'match(where("a").is("x)"))'


def test_a_call_is_found_with_its_arguments():
    (found,) = calls(CODE, r"Sort\.by")

    assert (found.text(CODE), found.arguments) == ('Sort.by("a", "_id")', ('"a"', '"_id"'))


def test_each_place_is_changed_by_itself():
    assert list(each("a.gt(1).gt(2)", r"\.gt\(", ".gte(")) == ["a.gte(1).gt(2)", "a.gt(1).gte(2)"]


@pytest.mark.parametrize("name", ["match", "sort", "limit"])
def test_a_stage_is_left_out_with_its_comma(name):
    whole = f"newAggregation(\n    {CODE})"
    (left,) = without_stage(whole, name)

    (found,) = calls(left, "newAggregation")
    assert f"{name}(" not in left
    assert len(found.arguments) == 2
