"""The graph's nodes, one file each."""

from react_agent.nodes.compare_results import compare_results
from react_agent.nodes.compile_harnesses import compile_harnesses
from react_agent.nodes.evaluate import evaluate
from react_agent.nodes.extract_input import extract_input
from react_agent.nodes.human_intervention import human_intervention_node
from react_agent.nodes.inspect_schema import inspect_schema
from react_agent.nodes.publish import publish
from react_agent.nodes.run_harnesses import run_harnesses
from react_agent.nodes.translate import translate

__all__ = [
    "compare_results",
    "compile_harnesses",
    "evaluate",
    "extract_input",
    "human_intervention_node",
    "inspect_schema",
    "publish",
    "run_harnesses",
    "translate",
]
