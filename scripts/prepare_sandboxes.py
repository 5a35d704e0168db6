"""Build the snapshots that sandboxes at a Daytona service are made from, once for each release of UOM.

    DAYTONA_API_KEY=… DAYTONA_API_URL=… python scripts/prepare_sandboxes.py [dotnet] [java]

A snapshot that is there already is left as it is.
"""

import argparse
import asyncio
import sys

from react_agent.context import BadSetting, Context
from react_agent.sandbox.daytona_service import Service, service_of
from react_agent.sandbox.daytona_snapshots import prepare
from react_agent.sandbox.protocol import SandboxType, ToolchainMissing

KINDS = {"dotnet": SandboxType.DOTNET_10_SANDBOX, "java": SandboxType.JAVA_25_SANDBOX}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="dotnet|java", help="which to build; both when none is named")
    arguments = parser.parse_args()
    if unknown := set(arguments.kinds) - set(KINDS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(KINDS)}")
    try:
        context = Context()
    except BadSetting as error:
        return complain(str(error))
    if not context.daytona_api_key:
        return complain("DAYTONA_API_KEY is not set; make a key in Daytona's dashboard")
    try:
        asyncio.run(build(service_of(context), [KINDS[name] for name in arguments.kinds or KINDS]))
    except ToolchainMissing as error:
        return complain(str(error))
    return 0


async def build(service: Service, kinds: list[SandboxType]) -> None:
    for kind in kinds:
        name = await prepare(service, kind, lambda line: print(line, file=sys.stderr))
        print(name)


def complain(problem: str) -> int:
    print(f"prepare_sandboxes: {problem}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
