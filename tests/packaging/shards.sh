#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# shards.sh BIN LIST - of every test program in BIN, each case is in one line of LIST.
set -euo pipefail
bin=$1 list=$2

cases() { "$1" --gtest_list_tests "--gtest_filter=$2" | grep -c '^  ' || true; }

bad=0
for program in "$bin"/*_tests; do
  name=$(basename "$program")
  [[ $name != interop_* ]] || continue
  sum=0
  while read -r filter; do
    sum=$((sum + $(cases "$program" "$filter")))
  done < <(sed -n "s/^$name //p" "$list")
  all=$(cases "$program" '*')
  echo "$name: $sum of $all"
  [[ $sum == "$all" && $all != 0 ]] || bad=1
done
exit "$bad"
