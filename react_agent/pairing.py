"""Pairing: hold the pairs that a manifest names against those that the rules derive from the C#. Pure.

A manifest is a person's claim: a class that was renamed must be found by it, and a class that was put beside the
written one must not be proven in its stead.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from react_agent.model.manifest import NAME, BadManifest, Manifest
from react_agent.model.shape import ListShape, ObjectShape, Shape
from react_agent.model.translation import EntryPair, SourceFile, Translation


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """The translation to prove, and by entry what its verdict must say of it."""

    translation: Translation
    reservations: Mapping[str, tuple[str, ...]]


def paired(manifest: Manifest, rules: Translation, files: Sequence[SourceFile]) -> Pairing:
    """Take a manifest's pairs for the proof of `files`, where they are the rules' or the rules' class is gone.

    Raises:
        BadManifest: a shape leaves out, renames or retypes what the C# returns.
    """
    own = {pair.entry: pair for pair in rules.entries}
    general = _general(manifest, rules)
    entries, reservations = [], {}
    for pair in manifest.entries:
        chosen, said = _chosen(pair, own.get(pair.entry), files)
        entries.append(chosen)
        if said or general:
            reservations[pair.entry] = (*said, *general)
    for pair in _left_out(manifest, rules, files):
        entries.append(pair)
        reservations[pair.entry] = (
            f"{NAME} leaves out {pair.entry}, which the rules pair with {_java(pair)}",
            *general,
        )
    translation = replace(
        rules,
        files=tuple(files),
        entries=tuple(entries),
        documents=manifest.documents,
        configuration=manifest.configuration,
    )
    return Pairing(translation=translation, reservations=reservations)


def _chosen(named: EntryPair, own: EntryPair | None, files: Sequence[SourceFile]) -> tuple[EntryPair, tuple[str, ...]]:
    if own is None:
        return named, (f"{NAME} pairs {named.entry} with {_java(named)}; the rules do not translate this entry",)
    if fault := _fault(named.shape, own.shape):
        raise BadManifest(f"{NAME}: entries: {named.entry}: its shape {fault}; translate again to make a new one")
    if _java(named) == _java(own):
        other = f"{NAME} reads the result of {named.entry} by other accessors or constants than the rules"
        return named, () if named.shape == own.shape else (other,)
    said = f"{NAME} pairs {named.entry} with {_java(named)}, the rules would pair it with {_java(own)}"
    if _exists(own, files):
        return own, (f"{said}, which the project holds too: that one was proven",)
    return named, (said,)


def _left_out(manifest: Manifest, rules: Translation, files: Sequence[SourceFile]) -> list[EntryPair]:
    named = [pair.entry for pair in manifest.entries]
    if twice := [entry for entry in named if named.count(entry) > 1]:
        raise BadManifest(f"{NAME}: entries: {twice[0]} stands there twice; leave one")
    missing = [pair for pair in rules.entries if pair.entry not in named]
    if gone := [pair.entry for pair in missing if not _exists(pair, files)]:
        raise BadManifest(f"{NAME}: entries: {gone[0]} is not paired with a Java method; add the pair")
    return missing


def _java(pair: EntryPair) -> str:
    return f"{pair.java_class}.{pair.java_method}"


def _exists(pair: EntryPair, files: Sequence[SourceFile]) -> bool:
    package, _, name = pair.java_class.rpartition(".")
    declared = re.compile(rf"\b(?:class|interface|record|enum)\s+{re.escape(name)}\b")
    within = re.compile(rf"\bpackage\s+{re.escape(package)}\s*;")
    method = re.compile(rf"\b{re.escape(pair.java_method)}\s*\(")
    return any(all(each.search(file.text) for each in (declared, within, method)) for file in files)


def _general(manifest: Manifest, rules: Translation) -> tuple[str, ...]:
    out = []
    if manifest.configuration != rules.configuration:
        out.append(f"{NAME} names the configuration {manifest.configuration}, the rules' is {rules.configuration}")
    if manifest.documents != rules.documents:
        ours = {document.entity: document for document in rules.documents.documents}
        theirs = {document.entity: document for document in manifest.documents.documents}
        changed = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
        what = f"the documents of {', '.join(changed)}" if changed else "decisions about the documents"
        out.append(f"{NAME} has {what} otherwise than the rules")
    return tuple(out)


def _fault(named: Shape, own: Shape, where: str = "") -> str:
    """Say how a shape tells less of a result, or something else, than the C# returns; empty where it does not."""
    if isinstance(named, ListShape) and isinstance(own, ListShape):
        return _fault(named.element, own.element, where)
    if isinstance(named, ObjectShape) and isinstance(own, ObjectShape):
        return _object_fault(named, own, where)
    if _result(named) != _result(own):
        return f"has {_result(named)} for {where or 'the result'}, where the C# has {_result(own)}"
    return ""


def _object_fault(named: ObjectShape, own: ObjectShape, where: str) -> str:
    theirs, ours = [f.name for f in named.fields], {f.name: f for f in own.fields}
    if named.name != own.name:
        return f"names {where or 'the result'} {named.name}, where the C# has {own.name}"
    if missing := [name for name in ours if name not in theirs]:
        return f"leaves out {', '.join(missing)} of {own.name}"
    if more := [name for name in theirs if name not in ours or theirs.count(name) > 1]:
        return f"has {', '.join(dict.fromkeys(more))} in {own.name}, which the C# does not have so"
    faults = (_fault(f.shape, ours[f.name].shape, f"{own.name}.{f.name}") for f in named.fields)
    return next((fault for fault in faults if fault), "")


def _result(shape: Shape) -> str:
    """The C# side of a shape: a Java constant may bear another name, what it stands for may not."""
    if isinstance(shape, ListShape):
        return "a list"
    if isinstance(shape, ObjectShape):
        return f"an object {shape.name}"
    if shape.enum is None:
        return shape.type.value
    return f"{shape.enum} of {', '.join(sorted(f'{name} = {value}' for name, value in shape.names.values()))}"
