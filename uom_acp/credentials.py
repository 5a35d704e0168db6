"""The key for a chat model's endpoint that a person stored with `uom login`; the environment's own wins over it."""

import contextlib
import json
import os
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path

KEY, URL, MODEL = "OPENAI_API_KEY", "OPENAI_API_URL", "MODEL"
STORED = (KEY, URL, MODEL)
HOW = (
    f"Set {KEY} (with {URL} and {MODEL}, if they are not the defaults) in the agent's environment in your editor's "
    "settings, or run `uom login` in a terminal."
)


def credentials_path() -> Path:
    """Say where the key is stored."""
    from platformdirs import user_config_path  # noqa: PLC0415 - `uom --help` needs no folder

    return user_config_path("uom") / "credentials.json"


@dataclass(slots=True, kw_only=True)
class Credentials:
    """The stored key, and the environment that every part reads it from."""

    path: Path = field(default_factory=credentials_path)
    environment: MutableMapping[str, str] = field(default_factory=lambda: os.environ)

    def use(self) -> bool:
        """Put what is stored where the environment has nothing; True where there is a key then."""
        if self.environment.get(KEY):
            return True
        stored = self._read()
        if not stored.get(KEY):
            return False
        for name in STORED:
            if stored.get(name) and not self.environment.get(name):
                self.environment[name] = stored[name]
        return True

    def store(self, values: Mapping[str, str]) -> None:
        """Keep a key where only this user can read it."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        unfinished = self.path.with_suffix(".new")
        with contextlib.suppress(FileNotFoundError):
            unfinished.unlink()
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump({name: values[name] for name in STORED if values.get(name)}, file)
        unfinished.replace(self.path)

    def forget(self) -> None:
        """Drop the stored key, and the one that this process uses."""
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()
        self.environment.pop(KEY, None)

    def _read(self) -> Mapping[str, str]:
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        named = found.items() if isinstance(found, dict) else ()
        return {name: value for name, value in named if name in STORED and isinstance(value, str)}
