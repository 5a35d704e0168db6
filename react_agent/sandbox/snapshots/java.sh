#!/bin/sh
# Builds the Java worker inside a snapshot, from the sources beside this file; leaves the command that starts it.
set -eu
home=${UOM_HOME:-/opt/uom}
cd "$home/context/worker"
mvn -B -q -ntp -Dstyle.color=never package
mkdir -p "$home/worker" "$home/bin"
mv target/worker.jar target/lib "$home/worker/"
cat >"$home/bin/uom-worker" <<'END'
#!/bin/sh
home=${UOM_HOME:-/opt/uom}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
[ -z "${UOM_AOT:-}" ] && [ -e "$home/worker/worker.aot" ] && UOM_AOT=-XX:AOTCache=$home/worker/worker.aot
exec "$java" @OPTIONS@ "-Xmx${UOM_HEAP_MB:-768}m" -XX:+ExitOnOutOfMemoryError ${UOM_AOT:-} \
    -classpath "$home/worker/worker.jar:$home/worker/lib/*" @MAIN@ "$@"
END
chmod 755 "$home/bin/uom-worker"
# What a worker loads is recorded, so that the next ones start from it; where that fails they start without.
UOM_AOT=-XX:AOTCacheOutput=$home/worker/unfinished.aot "$home/bin/uom-worker" --in 3 --out 4 --warm \
    3</dev/null 4>/dev/null && mv "$home/worker/unfinished.aot" "$home/worker/worker.aot" || true
