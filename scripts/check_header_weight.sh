#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# check_header_weight.sh [ROOT] - how many lines <holdfast/mutex.h> has after
# preprocessing, in percent of those of the standard headers that its interface needs.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

limit=115 # percent

lines() { # HEADER...
  printf '#include <%s>\n' "$@" | "${CXX:-g++}" -std=c++20 -Iinclude -E -P -x c++ - | wc -l
}
standard=$(lines chrono memory stop_token string string_view)
ours=$(lines holdfast/mutex.h)
percent=$(((ours * 100 + standard - 1) / standard))
echo "<holdfast/mutex.h>: $ours lines, $percent % of the $standard of the standard's headers"
((percent <= limit)) || {
  echo "check_header_weight.sh: more than $limit %: forward-declare what <holdfast/mutex.h>" \
    "does not need to define, or give it a header of its own" >&2
  exit 1
}
