#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# counts_table.sh - counts what one operation of every primitive costs on each engine,
# and writes the table into docs/benchmarks.md. HOLDFAST_BENCH: the program, if it is
# built already.
set -euo pipefail
cd "$(dirname "$0")/.."

page=docs/benchmarks.md
columns='redis/round trips,redis/commands,redis/inside scripts,local/system calls'

bench() { if [[ ${HOLDFAST_BENCH:-} ]]; then "$HOLDFAST_BENCH" "$@"; else ./dev bench "$@"; fi; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for engine in local redis; do
  bench "$engine" counts --json "$work/$engine.json" >"$work/log" || {
    cat "$work/log" >&2
    exit 1
  }
done

# One line for an operation, in the order of the first engine.
awk -v columns="$columns" '
  function field(name) {
    if (!match($0, "\"" name "\": (\"[^\"]*\"|[^,}]*)")) return ""
    value = substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4)
    gsub(/"/, "", value)
    return value
  }
  /"engine":/ { engine = field("engine") }
  /"workload": "counts"/ {
    what = field("what")
    if (!(what in known)) { known[what] = 1; rows[++count] = what }
    cell[what, engine "/" field("unit")] = field("value")
  }
  END {
    n = split(columns, column, ",")
    head = "| operation |"
    rule = "|---|"
    for (i = 1; i <= n; i++) {
      split(column[i], part, "/")
      head = head " " part[1] ": " part[2] " |"
      rule = rule "---:|"
    }
    print head "\n" rule
    for (r = 1; r <= count; r++) {
      line = "| " rows[r] " |"
      for (i = 1; i <= n; i++) line = line " " cell[rows[r], column[i]] " |"
      print line
    }
  }' "$work/redis.json" "$work/local.json" >"$work/table"

awk -v table="$work/table" '
  !inside
  /^<!-- counts: / { inside = 1; while ((getline line < table) > 0) print line }
  /^<!-- end of counts -->/ { inside = 0; print }' "$page" >"$work/page"
cat "$work/page" >"$page"
