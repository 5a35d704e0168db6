#!/usr/bin/env bash
# Compare looking at a folder in parallel with the same probes in turn.
#
# usage: bench_local_context.sh [FOLDER [RUNS]]

set -euo pipefail
script=$(cd "$(dirname "$0")/.." && pwd)/uom_deep_agent/detect_context.sh
cd "${1:-.}"
runs=${2:-15}

median() { # median ARGUMENT...: milliseconds of the middle run
  local start end times=()
  for ((run = 0; run < runs; run++)); do
    start=$(date +%s%N)
    bash "$script" "$@" >/dev/null 2>&1
    end=$(date +%s%N)
    times+=($(((end - start) / 1000)))
  done
  printf '%s\n' "${times[@]}" | sort -n | awk '{ at[NR] = $1 } END { print at[int((NR + 1) / 2)] / 1000 }'
}

parallel=$(median)
in_turn=$(median --in-turn)
printf 'in parallel %s ms, in turn %s ms, ratio %s\n' "$parallel" "$in_turn" \
  "$(awk "BEGIN { printf \"%.2f\", $parallel / $in_turn }")"
