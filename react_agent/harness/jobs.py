"""Jobs: what each side's worker is asked to run, filled from a suite and a translation. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from react_agent.model.mapping import MappingModel
from react_agent.model.translation import EntryPair, Translation
from react_agent.proof.calls import Call
from react_agent.proof.instances import Instance
from react_agent.proof.loading import documents_for


def source_instances(instances: Iterable[Instance]) -> list[dict[str, Any]]:
    """Write instances for the .NET worker: rows by table."""
    return [{"id": instance.id, "tables": instance.to_json()["tables"]} for instance in instances]


def target_instances(
    instances: Iterable[Instance], mapping: MappingModel, translation: Translation
) -> list[dict[str, Any]]:
    """Write instances for the Java worker: documents by collection, through the one mapping."""
    return [
        {"id": instance.id, "collections": documents_for(instance, mapping, translation.documents)}
        for instance in instances
    ]


def target_call(call: Call, pair: EntryPair, call_id: str | None = None) -> dict[str, Any]:
    """Write one call for the Java worker: the same arguments, on the entry's Java method."""
    return {
        "id": call_id or call.id,
        "instance": call.instance,
        "class": pair.java_class,
        "method": pair.java_method,
        "args": [{"name": name, "value": cell.to_json()} for name, cell in call.args],
        "shape": pair.shape.to_json(),
    }


def target_calls(calls: Iterable[Call], pairs: Mapping[str, EntryPair]) -> list[dict[str, Any]]:
    """Write calls for the Java worker; calls of entries without a Java method are left out."""
    return [target_call(call, pairs[entry]) for call in calls if (entry := f"{call.class_name}.{call.method}") in pairs]
