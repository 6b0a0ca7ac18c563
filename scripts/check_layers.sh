#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# check_layers.sh [ROOT] - arrows point down only: which layer may include which.
#
#   include/                        holdfast/ and the C++ standard library
#   src/base                        holdfast/, base/
#   src/engines/kit                 base/, engines/kit/, and of holdfast/ the waist
#   src/engines/X                   the same, and engines/X/
#   src/core                        holdfast/, base/, core/; engine_table.cc also
#                                   engines/*/engine.h
#   src/primitives                  holdfast/, base/, core/, primitives/
#   src/testing                     holdfast/, testing/
#   tools, demo, shop, examples, bench  holdfast/ and their own files; tools also demo/
#
# Inside src/ every include of ours is spelt from src/ or include/, never with "..".
#
# Every engine has the rooms that a reader looks for first: decision 31.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

mapfile -t files < <(find include src tools demo shop examples bench -name '*.h' -o -name '*.cc' | sort)
[[ ${#files[@]} != 0 ]] || { echo "check_layers: no files in $PWD" >&2; exit 1; }

bad=0
for engine in src/engines/*/; do
  [[ $engine != src/engines/kit/ ]] || continue
  for room in engine.h session.h resource.h listing.h; do
    [[ -e $engine$room ]] || { echo "$engine has no $room" && bad=1; }
  done
  [[ -d ${engine}transport || -d ${engine}memory ]] || { echo "$engine has no transport/" && bad=1; }
done

awk '
function layer_of(path) {
  if (path ~ /^engines\//) { split(path, part, "/"); return "engines/" part[2] }
  if (path ~ /^(base|core|primitives|testing|holdfast|demo)\//) { split(path, part, "/"); return part[1] }
  return ""
}
function forbid(why) {
  printf "%s:%d: includes %s: %s\n", FILENAME, FNR, spelt, why
  bad = 1
}
FNR == 1 {
  where = FILENAME
  inside = sub(/^src\//, "", where)
  mine = inside ? layer_of(where) : ""
}
/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
  spelt = $0
  sub(/^[ \t]*#[ \t]*include[ \t]*/, "", spelt)
  sub(/[>"][^>"]*$/, "", spelt)
  quoted = sub(/^"/, "", spelt)
  sub(/^</, "", spelt)
  theirs = layer_of(spelt)

  if (spelt ~ /(^|\/)src\//) forbid("spell it from src/ or include/")
  else if (FILENAME ~ /^include\//) {
    if (FILENAME ~ /holdfast\/asio\.h$/ && spelt ~ /^(asio\/|boost\/(asio|system)\/)/) next
    if (FILENAME ~ /holdfast\/execution\.h$/ && spelt ~ /^stdexec\//) next
    if (theirs != "holdfast" && (quoted || spelt !~ /^[a-z_]+$/))
      forbid("a public header needs holdfast/ and the standard library alone")
  } else if (!inside) {
    sub(/^(\.\.\/)+/, "", spelt)
    theirs = layer_of(spelt)
    if (theirs ~ /^(base|core|primitives|testing|engines\/.*)$/) forbid("users see include/holdfast alone")
    if (theirs == "demo" && FILENAME !~ /^(demo|tools)\//) forbid("users see include/holdfast alone")
  } else if (theirs == "" || spelt ~ /\.\./) {
    if (quoted) forbid("spell it from src/ or include/")
  } else if (mine ~ /^engines\//) {
    if (theirs == "holdfast" && spelt !~ /^holdfast\/(engine\/[a-z_]+|clock|export|holder|hold|log|names|result|retry|timeout)\.h$/)
      forbid("an engine knows the waist, not the API above it")
    else if (theirs != "holdfast" && theirs != "base" && theirs != "engines/kit" && theirs != mine)
      forbid("an engine sees neither core, nor primitives, nor another engine")
  } else if (theirs ~ /^engines\//) {
    if (where != "core/engine_table.cc" || spelt !~ /^engines\/[a-z]+\/engine\.h$/)
      forbid("only core/engine_table.cc knows the engines, by their engine.h")
  } else {
    if (mine == "testing" && theirs !~ /^(holdfast|testing)$/) forbid("users link it beside the library")
    if (mine == "testing" || theirs == "testing") next
    order["holdfast"] = 0; order["base"] = 1; order["core"] = 2; order["primitives"] = 3
    if (!(theirs in order) || order[theirs] > order[mine]) forbid("arrows point down only")
  }
}
END { exit bad }
' "${files[@]}" || bad=1
exit "$bad"
