"""What we found LangGraph to write into checkpoints. A failure after an upgrade names what to look at."""

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph


async def test_what_stands_in_configurable_is_written_into_checkpoints() -> None:
    """Hence `Context` takes no secret from there: keys come by the run's context alone, which is not kept."""
    builder = StateGraph(MessagesState, context_schema=dict)
    builder.add_node("work", lambda _: {})
    builder.add_edge(START, "work")
    saver = InMemorySaver()
    config = {"configurable": {"thread_id": "t", "openai_api_key": "sk-in-configurable"}}
    await builder.compile(checkpointer=saver).ainvoke(
        {"messages": []}, config, context={"openai_api_key": "sk-in-context"}
    )
    kept = repr([each async for each in saver.alist({"configurable": {"thread_id": "t"}})])
    assert "sk-in-configurable" in kept
    assert "sk-in-context" not in kept
