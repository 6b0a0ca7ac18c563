#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# check_limits.sh [ROOT] - what CONTRIBUTING.md limits: code has no TODO, the engine in
# tests/toy has at most 400 lines, and the subject of a commit at most 72 characters. It looks
# at the last hundred commits, because some older ones are longer.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"
bad=0

found=0
grep -rnIwE 'TODO|FIXME' . --exclude-dir=.git --exclude-dir=build --exclude='*.md' \
  --exclude="${0##*/}" || found=$?
case $found in
  0) echo "check_limits: the lines above leave something to do; an issue is the place for it" >&2 ;;
  1) ;; # there is none
  *) echo "check_limits: not every file could be read" >&2 ;;
esac
((found == 1)) || bad=1

lines=$(find tests -path "tests/toy/*" -type f -exec cat {} + | wc -l)
if ((lines == 0 || lines > 400)); then
  echo "check_limits: tests/toy has $lines lines; docs/architecture.md promises some, at most 400" >&2
  bad=1
fi

if [[ -e .git ]]; then
  long=$(git log --no-merges -100 --format='%h %s' | awk 'length($0) > length($1) + 73')
  if [[ -n $long ]]; then
    printf '%s\ncheck_limits: these subjects have more than 72 characters\n' "$long" >&2
    bad=1
  fi
fi
exit "$bad"
