"""The programs as they ran, in a form that a person can run again: `dotnet run` on one side, `mvn` on the other."""

from react_agent.draft import Draft
from react_agent.harness import csharp_program, java_program
from react_agent.proof.instances import Instance
from react_agent.proof.loading import documents_for
from react_agent.proof.suite import Suite

SHOWN_CALLS = 12
"""How many calls the programs make."""


def programs(candidate: Draft, suite: Suite | None) -> dict[str, str]:
    """Fill the output's four program fields and the names of their entry classes; nothing where no suite was chosen."""
    if suite is None or not candidate.translation.entries:
        return {}
    instance = _telling(suite)
    pairs = {pair.entry: pair for pair in candidate.translation.entries}
    calls = [c for c in suite.calls if c.instance == instance.id and f"{c.class_name}.{c.method}" in pairs]
    shown = calls[:: max(1, len(calls) // SHOWN_CALLS)][:SHOWN_CALLS]
    methods = [(candidate.method(f"{c.class_name}.{c.method}"), c) for c in shown]
    package = candidate.translation.configuration.rsplit(".", 1)[0]
    documents = documents_for(instance, candidate.mapping, candidate.translation.documents)
    return {
        "source_validation_schema_code": csharp_program.database(candidate.mapping, instance),
        "source_validation_harness_code": csharp_program.program(candidate.reading.queries, methods),
        "source_validation_entry_type_name": csharp_program.ENTRY_TYPE,
        "target_validation_schema_code": java_program.database(package, documents),
        "target_validation_harness_code": java_program.program(
            candidate.translation.configuration, [(pairs[f"{c.class_name}.{c.method}"], c) for c in shown]
        ),
        "target_validation_entry_type_name": java_program.ENTRY_TYPE,
    }


def _telling(suite: Suite) -> Instance:
    """The instance that says most in one run: the user's own, else the first one of boundary values."""
    for kind in ("user", "boundary", "random"):
        found = next((i for i in suite.instances if i.kind == kind), None)
        if found is not None:
            return found
    return suite.instances[-1]
