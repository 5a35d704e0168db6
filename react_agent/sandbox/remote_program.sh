#!/bin/sh
# Runs programs in a sandbox elsewhere. Each has a folder: `in` is what it is sent, `out` what it answers, `log` what
# it prints, `code` its exit code once it has ended. POSIX sh, GNU or BusyBox tools, setsid.
set -u

start() { # FOLDER WHERE COMMAND FRAMES BLOCKS: start it in the background
    mkdir -p "$1" "$2" && cd "$1" || exit 3
    : >in && : >out && : >log || exit 3
    UOM_PROGRAM=$1 setsid sh "$0" supervise "$@" >/dev/null 2>&1 </dev/null &
    while [ ! -e pid ]; do sleep 0.01; done
}

supervise() { # as `start`: be the leader of its process group, and write down how it ended
    cd "$1" || exit 3
    # shellcheck disable=SC3045 # dash, BusyBox and bash have it
    ulimit -c 0
    ulimit -f "$5"
    shell=$(command -v bash || command -v sh)
    if [ "$4" = frames ]; then
        mkfifo pipe
        echo $$ >pid.part && mv pid.part pid
        tail -s 0.02 -c +1 -f in >pipe 2>/dev/null &
        (cd "$2" && exec "$shell" -c "$3") 3<pipe 4>>out >>log 2>&1 </dev/null
    else
        echo $$ >pid.part && mv pid.part pid
        (cd "$2" && exec "$shell" -c "$3") >>log 2>&1 </dev/null
    fi
    echo $? >code.part && mv code.part code
    kill -9 0
}

look() { # FOLDER OFFSET PRINTED ROUNDS CHUNK PAUSE: wait until there is more, then tell: printed bytes, code, the new
    cd "$1" 2>/dev/null || exit 3
    [ "$6" = 0 ] || [ -e code ] || sleep "$6"
    round=0
    while [ "$(stat -c %s out)" -le "$2" ] && [ ! -e code ] && [ "$(stat -c %s log)" -le "$3" ]; do
        [ "$round" -lt "$4" ] || break
        if [ "$round" -lt 25 ]; then sleep 0.02; else sleep 0.1; fi
        round=$((round + 1))
    done
    code=$(cat code 2>/dev/null)
    echo "$(stat -c %s log) ${code:--}"
    tail -c "+$(($2 + 1))" out | head -c "$5" | base64 | tr -d '\n'
}

send() { # FOLDER FILE: hand an uploaded file on to the program
    cd "$1" 2>/dev/null && cat "$2" >>in && rm -f "$2" || exit 3
}

printed() { # FOLDER HALF: tell how much it printed, then the first and the last bytes
    cd "$1" 2>/dev/null || exit 3
    size=$(stat -c %s log)
    echo "$size"
    head -c "$2" log | base64 | tr -d '\n'
    echo
    rest=$((size - $2))
    [ "$rest" -gt 0 ] || exit 0
    tail -c "$((rest < $2 ? rest : $2))" log | base64 | tr -d '\n'
}

stop() { # FOLDER: end it and all that it started, also what left its process group
    [ -e "$1/pid" ] && kill -9 -- "-$(cat "$1/pid")" 2>/dev/null
    for _ in 1 2 3 4 5; do
        left=$(grep -lzxF "UOM_PROGRAM=$1" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3)
        [ -n "$left" ] || break
        # shellcheck disable=SC2086 # one number a word
        kill -9 $left 2>/dev/null
        sleep 0.02
    done
    return 0
}

"$@"
