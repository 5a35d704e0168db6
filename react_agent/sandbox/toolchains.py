"""Find the toolchain of each kind of sandbox."""

from react_agent.sandbox.protocol import SandboxType, Toolchain


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
