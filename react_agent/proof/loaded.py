"""Loaded: the navigations that an entry loads with its entities, by where a row shows them."""

from collections.abc import Iterator
from dataclasses import dataclass

from react_agent.model.mapping import EntityType, MappingModel
from react_agent.model.query import Include, Query
from react_agent.proof.places import entity_of
from react_agent.proof.tables import lineage


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """One navigation that a query includes: the path to it from the row, its members (`Type.Member`), its target."""

    path: tuple[str, ...]
    members: frozenset[str]
    include: Include
    target: str


def loaded_by(query: Query, mapping: MappingModel) -> tuple[Loaded, ...]:
    """All navigations that a query includes, those below others after them."""
    entity = entity_of(mapping, query.element)
    return tuple(_below(query.includes, entity, mapping, ())) if entity is not None else ()


def _below(
    includes: tuple[Include, ...], entity: EntityType, mapping: MappingModel, at: tuple[str, ...]
) -> Iterator[Loaded]:
    for one in includes:
        owners = [e for e in _family(entity, mapping) if e.find_navigation(one.navigation)]
        if not owners:
            continue
        path = (*at, one.navigation)
        navigation = owners[0].find_navigation(one.navigation)
        target = mapping.find(navigation.target) if navigation is not None else None
        if target is None:
            continue
        kin = {e.clr_name for owner in owners for e in _family(owner, mapping)}
        members = frozenset(f"{name}.{one.navigation}" for name in kin)
        yield Loaded(path=path, members=members, include=one, target=target.name)
        yield from _below(one.below, target, mapping, path)


def _family(entity: EntityType, mapping: MappingModel) -> Iterator[EntityType]:
    """An entity with its bases and what derives from it: an include may name a member of any of them."""
    yield from lineage(mapping, entity)
    for other in mapping.entities:
        if other.name != entity.name and any(one.name == entity.name for one in lineage(mapping, other)):
            yield other
