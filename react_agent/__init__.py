"""The translator: a LangGraph graph that extracts, translates, proves and asks. Knows neither ACP nor DeepAgents."""
