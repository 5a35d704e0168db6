"""Find the toolchain of each kind of sandbox."""

from react_agent.sandbox.protocol import Located, SandboxType, Toolchain


async def find_toolchain(kind: SandboxType) -> Toolchain:
    """Find what compiles and runs programs of a kind.

    Raises:
        ToolchainMissing: it is not installed; its hint says how to install it.
    """
    # Imported when asked for: a machine looks only for the side that it runs.
    match kind:
        case SandboxType.DOTNET_10_SANDBOX:
            from react_agent.sandbox.dotnet_toolchain import find_dotnet  # noqa: PLC0415

            return await find_dotnet()
        case SandboxType.JAVA_25_SANDBOX:
            from react_agent.sandbox.java_toolchain import find_java  # noqa: PLC0415

            return await find_java()


async def locate_toolchain(kind: SandboxType) -> Located:
    """Find the same, without building the worker that serves its jobs.

    Raises:
        ToolchainMissing: it is not installed; its hint says how to install it.
    """
    match kind:
        case SandboxType.DOTNET_10_SANDBOX:
            from react_agent.sandbox.dotnet_toolchain import locate_dotnet  # noqa: PLC0415

            return await locate_dotnet()
        case SandboxType.JAVA_25_SANDBOX:
            from react_agent.sandbox.java_toolchain import locate_java  # noqa: PLC0415

            return await locate_java()
