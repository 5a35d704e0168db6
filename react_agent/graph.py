"""The translator's graph, as a picture. What a node does is in `nodes/`, where it goes next in `routes.py`."""

from langgraph.graph import END, START, StateGraph

from react_agent import routes
from react_agent.context import Context
from react_agent.nodes import (
    compare_results,
    compile_harnesses,
    evaluate,
    extract_input,
    human_intervention_node,
    inspect_schema,
    publish,
    run_harnesses,
    translate,
)
from react_agent.state import InputState, OutputState, State

_REPAIR = ["translate", "human_intervention_node", "publish"]

builder = StateGraph(State, input_schema=InputState, output_schema=OutputState, context_schema=Context)

builder.add_node("extract_input", extract_input)
builder.add_node("inspect_schema", inspect_schema)
builder.add_node("translate", translate)
builder.add_node("compile_harnesses", compile_harnesses)
builder.add_node("run_harnesses", run_harnesses)
builder.add_node("compare_results", compare_results)
builder.add_node("evaluate", evaluate)
builder.add_node("human_intervention_node", human_intervention_node)
builder.add_node("publish", publish)

builder.add_edge(START, "extract_input")
builder.add_conditional_edges(
    "extract_input", routes.after_extract_input, ["extract_input", "inspect_schema", "publish"]
)
builder.add_edge("inspect_schema", "translate")
builder.add_conditional_edges("translate", routes.after_translate, ["compile_harnesses", "evaluate", "publish"])
builder.add_conditional_edges(
    "compile_harnesses", routes.after_compile, [*_REPAIR, "compile_harnesses", "run_harnesses", "evaluate"]
)
builder.add_conditional_edges(
    "run_harnesses", routes.after_run, [*_REPAIR, "run_harnesses", "compare_results", "evaluate"]
)
builder.add_conditional_edges("compare_results", routes.after_compare, [*_REPAIR, "compare_results", "evaluate"])
builder.add_conditional_edges("evaluate", routes.after_evaluate, _REPAIR)
builder.add_conditional_edges("human_intervention_node", routes.after_human_intervention, ["translate", "publish"])
builder.add_edge("publish", END)

graph = builder.compile(name="universal-object-mapping-translator")
