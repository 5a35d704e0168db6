from typing import Any

import pytest

from react_agent.model_facts import ModelFacts, Price, facts_of


@pytest.mark.parametrize(
    ("listed", "facts"),
    [
        ({"id": "bare"}, ModelFacts(name="bare")),
        ({"id": "v", "max_model_len": 32768}, ModelFacts(name="v", window=32768)),
        ({"id": "t", "top_provider": {"context_length": 9}}, ModelFacts(name="t", window=9)),
        ({"id": "x", "context_length": "many", "pricing": {"prompt": "free"}}, ModelFacts(name="x")),
        ({"id": "x", "context_length": True, "max_model_len": -1}, ModelFacts(name="x")),
        (
            {"id": "p", "pricing": {"prompt": "0.000001", "completion": "0.000002"}},
            ModelFacts(name="p", price=Price(input=1e-6, output=2e-6)),
        ),
        (
            {"id": "l", "model_info": {"input_cost_per_token": 1e-6, "output_cost_per_token": 0}},
            ModelFacts(name="l", price=Price(input=1e-6, output=0.0)),
        ),
        ({"id": "p", "pricing": {"prompt": "0.1"}}, ModelFacts(name="p")),
        ({"id": "r", "supported_parameters": ["reasoning"]}, ModelFacts(name="r", thinks=True)),
        ({"id": "some-thinking", "supported_parameters": ["tools"]}, ModelFacts(name="some-thinking")),
        ({"id": "einfra/deepseek-v4-pro-thinking"}, ModelFacts(name="einfra/deepseek-v4-pro-thinking", thinks=True)),
        ({"id": "openai/o3"}, ModelFacts(name="openai/o3", thinks=True)),
        ({"id": "solo3"}, ModelFacts(name="solo3")),
    ],
)
def test_facts_are_read_under_the_names_that_servers_use(listed: dict[str, Any], facts: ModelFacts) -> None:
    assert facts_of(listed) == facts
