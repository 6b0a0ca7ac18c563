#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# aside.sh COMMAND... - runs a command that only computes beside tests that wait and have to
# wake up in time.
#
# The lowest priority is not enough for that. Linux divides the processors among sessions first
# (sched_autogroup), and a session on whose processor only a process of the lowest priority
# runs counts for little there: a thread of it that woke up was seen to wait for four seconds.
# So the command gets a session of its own, which has the lowest priority as a whole.
set -euo pipefail

# shellcheck disable=SC2016
exec setsid --wait bash -c '
  { echo 19 >/proc/self/autogroup; } 2>/dev/null || true # some kernels have no such groups
  exec nice -n 19 "$@"' aside "$@"
