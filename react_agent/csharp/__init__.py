"""Read C#: text to a mapping model and a query model, with spans and gaps. Pure."""

from react_agent.csharp.faults import mapping_faults
from react_agent.csharp.hazards import hazards_of
from react_agent.csharp.reading import Fault, Reading, read

__all__ = ["Fault", "Reading", "hazards_of", "mapping_faults", "read"]
