import logging

import pytest

from uom_acp.log import MaskingFormatter, masked, secrets_of


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("key sk-abcdefgh12345678 refused", "key *** refused"),
        ("Authorization: Bearer abcdefgh.ijklmnop", "Authorization: Bearer ***"),
        ("mongodb://user:pass@host:27017", "mongodb://***@host:27017"),
        ("Server=x;Password=hunter22;Encrypt=true", "Server=x;Password=***;Encrypt=true"),
        ("nothing secret: src/Orders.cs:12", "nothing secret: src/Orders.cs:12"),
    ],
)
def test_what_looks_like_a_secret_is_masked(text: str, shown: str) -> None:
    assert masked(text, ()) == shown


def test_values_of_secret_variables_are_masked_wherever_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "correct horse battery")
    monkeypatch.setenv("HOME_PAGE", "correct horse")
    assert "correct horse battery" not in masked("refused: correct horse battery!")
    assert secrets_of({"A_TOKEN": "abc", "NEO4J_PASSWORD": "longer-value"}) == ("longer-value",)


def test_tracebacks_in_the_log_are_masked() -> None:
    error = ValueError("sk-abcdefgh12345678")
    record = logging.LogRecord("x", logging.ERROR, __file__, 1, "failed", None, (ValueError, error, None))
    assert "sk-abcdefgh" not in MaskingFormatter().format(record)
