import pytest

from react_agent.model.query import QueryModel
from react_agent.proof.calls import make_calls
from react_agent.proof.freeze import JudgeChanged, check_judge, judge_hash
from react_agent.proof.instances import make_instances
from tests.react_agent.proof.models import FREIGHT, PIECES_BOOKED


def suite(seed):
    instances = make_instances(FREIGHT, QueryModel(methods=(PIECES_BOOKED,)), seed)
    return instances, make_calls(PIECES_BOOKED, FREIGHT, instances, seed)


def test_the_same_judge_and_suite_have_one_hash():
    assert judge_hash(*suite(1)) == judge_hash(*suite(1))
    check_judge(judge_hash(*suite(1)), *suite(1))


def test_other_rows_or_calls_are_another_judge():
    instances, calls = suite(1)
    frozen = judge_hash(instances, calls)

    for changed in ((instances[1:], calls), (instances, calls[1:]), suite(2)):
        with pytest.raises(JudgeChanged, match="start the proof anew"):
            check_judge(frozen, *changed)
