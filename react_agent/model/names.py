"""Names on the Java side: one rule, used by the writer and by the judge's name table."""

import re

JAVA_KEYWORDS = frozenset(
    "abstract assert boolean break byte case catch char class const continue default do double else enum "
    "extends false final finally float for goto if implements import instanceof int interface long native "
    "new null package private protected public record return sealed short static strictfp super switch "
    "synchronized this throw throws transient true try var void volatile while yield permits _".split()
)

_ASYNC = re.compile(r"(?<=.)Async$")


def camel(name: str) -> str:
    """`ShipperCode` -> `shipperCode`, `URLPath` -> `urlPath`, `ID` -> `id`; a Java keyword gets a trailing `_`."""
    name = name.lstrip("@_") or name
    leading = re.match(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]+(?![a-z])|[A-Z]", name)
    out = leading.group().lower() + name[leading.end() :] if leading else name
    return out + "_" if out in JAVA_KEYWORDS else out


def java_member(csharp_name: str) -> str:
    """The Java field, record component or parameter of a C# member."""
    return camel(csharp_name)


def java_method(csharp_name: str) -> str:
    """The Java method of a C# method: camel case, without the `Async` suffix."""
    return camel(_ASYNC.sub("", csharp_name))


def java_type(csharp_name: str) -> str:
    """The Java class of a C# class: the same name, made a legal identifier."""
    return re.sub(r"\W", "_", csharp_name.lstrip("@"))


def java_package(namespace: str) -> str:
    """The Java package of a C# namespace: lower case; the empty namespace becomes `app`."""
    parts = [re.sub(r"\W", "_", part).lower() for part in namespace.split(".") if part]
    return ".".join(p + "_" if p in JAVA_KEYWORDS else p for p in parts) or "app"
