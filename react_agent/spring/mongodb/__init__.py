"""Write Spring Data MongoDB from the mapping and query models."""

from react_agent.spring.mongodb.project import write

__all__ = ["write"]
