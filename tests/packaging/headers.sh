#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# headers.sh CXX INCLUDE - every public header compiles alone, twice, without a warning.
# Without stdexec, holdfast/execution.h says that it is missing.
set -euo pipefail
cxx=$1 include=$2

mapfile -t headers < <(cd "$include" && find holdfast -name '*.h' | sort)
[[ ${#headers[@]} -gt 10 ]] || { echo "only ${#headers[@]} headers in $include" && exit 1; }
compiles() {
  printf '#include "%s"\n' "$1" | "$cxx" -std=c++20 -I"$include" -fsyntax-only -x c++ - 2>&1
}
for header in "${headers[@]}"; do
  echo "$header"
  if [[ $header == holdfast/execution.h ]] && ! compiles stdexec/execution.hpp >/dev/null; then
    said=$(compiles "$header") && echo "it compiles without stdexec" && exit 1
    [[ $said == *'needs stdexec'* ]] || { echo "$said" && exit 1; }
    continue
  fi
  printf '#include "%s"\n#include "%s"\nint main() {}\n' "$header" "$header" |
    "$cxx" -std=c++20 -I"$include" -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
      -Wno-sign-conversion -Werror -fsyntax-only -x c++ -
done
