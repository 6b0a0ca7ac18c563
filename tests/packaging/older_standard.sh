#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# older_standard.sh CXX INCLUDE - every public header says first that it needs C++20.
set -euo pipefail
cxx=$1 include=$2

mapfile -t headers < <(cd "$include" && find holdfast -name '*.h' | sort)
[[ ${#headers[@]} -gt 10 ]] || { echo "only ${#headers[@]} headers in $include" && exit 1; }
for header in "${headers[@]}"; do
  said=$(printf '#include "%s"\nint main() {}\n' "$header" |
    "$cxx" -std=c++17 -I"$include" -fsyntax-only -Wfatal-errors -x c++ - 2>&1) &&
    { echo "$header compiles as C++17" && exit 1; }
  first=$(grep -m 1 'error' <<<"$said")
  [[ $first == *'Holdfast needs C++20'* ]] || { echo "$header: $first" && exit 1; }
done
