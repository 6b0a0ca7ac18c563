#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# traits.sh PREFIX ENGINE [--write] - is the column of ENGINE in the table of
# docs/choosing.md what the engine that HOLDFAST_URL names says of itself? With --write it
# is made so:
#
#   for e in local redis zookeeper etcd mysql quorum; do
#     build/dev/bin/with_engine $e tests/docs/traits.sh PREFIX $e --write
#   done
set -euo pipefail
page=$(realpath "$(dirname "$0")/../../docs/choosing.md")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One line for a kind: its name, and what is true of it.
"$1/bin/holdfast" show --engine --json | grep -oE '"[a-z_]+":\{[^{}]*\}' |
  sed -E 's/"([a-z_]+)":false,?//g; s/[":{},]+/ /g; s/ true//g; s/^ //' >"$work/kinds"

# A letter for each trait that means something for the kind.
awk -v engine="$2" -v kinds="$work/kinds" '
  function letter(kind, trait) {
    if (trait == "notifies") return "N"
    if (kind ~ /^(latch|barrier|counter|shared_count)$/) return trait == "versions" ? "V" : ""
    if (trait == "downgrades") return kind == "shared_mutex" ? "D" : ""
    if (trait == "survives") return "S"
    return trait == "fences" ? "F" : trait == "orders" ? "O" : trait == "leased" ? "L" : ""
  }
  BEGIN {
    while ((getline line < kinds) > 0) {
      n = split(line, word, " ")
      cell = ""
      for (i = 2; i <= n; i++) {
        l = letter(word[1], word[i])
        if (l != "") cell = cell (cell == "" ? "" : " ") l
      }
      cells[word[1]] = cell == "" ? "yes" : cell
    }
  }
  /^\| kind \|/ {
    n = split($0, heads, / *\| */)
    for (i = 1; i <= n; i++) if (heads[i] == engine) column = i
  }
  column && /^\| `/ {
    n = split($0, row, / *\| */)
    kind = row[2]
    gsub(/`/, "", kind)
    row[column] = kind in cells ? cells[kind] : "–"
    line = "|"
    for (i = 2; i < n; i++) line = line " " row[i] " |"
    print line
    next
  }
  !/^\|/ { column = 0 }
  { print }' "$page" >"$work/page"

if [[ ${3:-} == --write ]]; then
  cat "$work/page" >"$page"
elif ! diff "$page" "$work/page"; then
  echo "docs/choosing.md: its table is not what engine $2 says; see the head of traits.sh" >&2
  exit 1
fi
