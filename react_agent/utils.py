"""What the react-agent template has under this name; nothing else moves in."""

from langchain_core.messages import BaseMessage


def get_message_text(message: BaseMessage) -> str:
    """Return a message's text, whatever form its content has."""
    content = message.content
    if isinstance(content, str):
        return content
    parts = (part if isinstance(part, str) else part.get("text", "") for part in content)
    return "".join(parts)
