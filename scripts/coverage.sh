#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# coverage.sh BUILD [ROOT] - what the tests that have run in BUILD have executed of src/ and
# include/: prints the lines of each folder, and writes those of each file as pages,
# BUILD/report/index.html.
#
# A process that is killed, as many are in tests/faults, leaves no counts behind: the figures
# are a little too low, never too high.
set -euo pipefail
build=$(realpath "$1")
root=$(realpath "${2:-$(dirname "$0")/..}")
info=$build/coverage.info

quietly() { "$@" >"$build/lcov.log" 2>&1 || { cat "$build/lcov.log" >&2 && exit 1; }; }

quietly lcov --capture --directory "$build" --base-directory "$build" --output-file "$info.all"
quietly lcov --extract "$info.all" "$root/src/*" "$root/include/*" --output-file "$info"
quietly genhtml --prefix "$root" --output-directory "$build/report" "$info"

# A file is begun by SF:, its lines are DA:NUMBER,COUNT.
awk -v root="$root/" '
  /^SF:/ {
    folder = substr($0, 4 + length(root))
    sub(/\/[^\/]*$/, "", folder)
  }
  /^DA:/ {
    split($0, part, ",")
    lines[folder]++
    run[folder] += part[2] > 0
  }
  END {
    for (folder in lines) {
      printf "%-28s %6d of %6d lines  %5.1f %%\n", folder, run[folder], lines[folder],
        100 * run[folder] / lines[folder] | "sort"
      all += lines[folder]
      hit += run[folder]
    }
    close("sort")
    if (all == 0) { print "coverage: no test has run in this build" > "/dev/stderr"; exit 1 }
    printf "%-28s %6d of %6d lines  %5.1f %%\n", "all", hit, all, 100 * hit / all
  }' "$info"
