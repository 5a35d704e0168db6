#!/bin/sh
# Builds the .NET worker inside a snapshot, from the sources beside this file; leaves the command that starts it.
set -eu
home=${UOM_HOME:-/opt/uom}
cd "$home/context/worker"
dotnet build UomWorker.csproj -c Release -v quiet -nologo -nodeReuse:false -p:UseSharedCompilation=false \
    -o "$home/worker"
mkdir -p "$home/bin"
cat >"$home/bin/uom-worker" <<'END'
#!/bin/sh
home=${UOM_HOME:-/opt/uom}
DOTNET_GCHeapHardLimit=$(printf '%#x' $((${UOM_HEAP_MB:-768} * 1048576)))
export DOTNET_GCHeapHardLimit DOTNET_EnableDiagnostics=0 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
exec dotnet exec "$home/worker/uom-worker.dll" "$@"
END
chmod 755 "$home/bin/uom-worker"
