#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# progress.sh PROGRESS - a build that is long shows how far it is, one that has nothing to
# do says so, and on a terminal it all takes one line.
set -euo pipefail
progress=$1

ninja() {
  echo '[1/40] Building CXX object a.o'
  echo 'a.cc:3: warning: [40/40] is not for here'
  sleep "$1" # as long as the compiler: time is what is shown
  echo '[2/40] Building CXX object b.o'
  echo '[40/40] Linking CXX executable c'
}

[[ $(ninja 0 | "$progress") == '       built 40 of 40' ]]
[[ $(echo 'ninja: no work to do.' | "$progress") == '       there is nothing to build' ]]

export -f ninja
export progress
shown=$(SHELL=$BASH script -qec 'ninja 2 | "$progress"' /dev/null </dev/null)
[[ $shown == *$'\r       built 2 of 40\r       built 40 of 40'* ]] ||
  { printf '%q\n' "$shown" && exit 1; }
