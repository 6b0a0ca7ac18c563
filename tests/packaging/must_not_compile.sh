#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# must_not_compile.sh CXX INCLUDE FILE [FLAG...] - FILE compiles, and with -DMISTAKE it does
# not, for the reason that its line `// expect: REGEX` gives.
set -euo pipefail
cxx=$1 include=$2 file=$3
shift 3
export LC_ALL=C

compile=("$cxx" -std=c++20 -I"$include" -Werror=unused-result -fsyntax-only "$@"
  "$file")
expected=$(sed -n 's|^// expect: ||p' "$file")
[[ -n $expected ]] || { echo "$file does not say what it expects" && exit 1; }
"${compile[@]}" || { echo "$file must compile without the mistake" && exit 1; }
if said=$("${compile[@]}" -DMISTAKE 2>&1); then
  echo "$file compiles with the mistake"
  exit 1
fi
grep -qE "$expected" <<<"$said" || { echo "$said" && echo "no line matches: $expected" && exit 1; }
