"""Read C#: text to a mapping model and a query model, with spans and gaps. Pure."""

from react_agent.csharp.reading import Fault, Reading, read

__all__ = ["Fault", "Reading", "read"]
