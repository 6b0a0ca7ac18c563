# SPDX-License-Identifier: Apache-2.0

# shellcheck shell=bash disable=SC2034 # walk.sh reads it
# exceptions.sh - what walk.sh does not type or compare as a page shows it, and why.
#
# PAGE|COMMAND|ENGINE|HOW|REASON, where PAGE, COMMAND and ENGINE are patterns. HOW: `skip` does not
# type it; a number is its exit status; `quiet` types it and compares nothing;
# `if COMMAND` types it only where COMMAND succeeds.
exceptions=(
  'README.md|./dev install|*|skip|needs root; the walk has installed, elsewhere'
  'README.md|export HOLDFAST_URL=*|*|skip|the walk chooses the engine'
  'README.md|unset HOLDFAST_URL *|*|skip|the walk chooses the engine'
  'README.md|holdfast show nightly-report *|*|1|nobody has it any more'
  'README.md|holdfast unlock nightly-report *|*|1|nobody has it any more'
  'docs/first-ten-minutes.md|./dev install|*|skip|needs root; the walk has installed, elsewhere'
  'docs/first-ten-minutes.md|./dev servers|*|skip|goes on until Ctrl-C; tests/packaging/servers.sh does it'
  'docs/first-ten-minutes.md|export HOLDFAST_URL=*|*|skip|the walk chooses the engine'
  'docs/first-ten-minutes.md|holdfast show *|quorum|quiet|a quorum shows less'
  'docs/recipes.md|systemd-analyze *|*|if command -v systemd-analyze|not everybody has systemd'
  'README.md|g++ *|!(local)|skip|compiled on local, and on every engine by docs/first-ten-minutes.md'
  'README.md|./sell|!(local)|skip|the same'
  'docs/recipes.md|g++ *|!(local)|skip|where the log goes is not a matter of the engine'
  'docs/recipes.md|g++ *|local|if pkg-config --exists spdlog|libspdlog-dev is not among the packages of ./dev'
  'docs/recipes.md|./logged|*|if test -x logged|the same'
  'docs/cli.md|holdfast elect scheduler --observe|*|skip|goes on until a signal comes'
  'docs/cli.md|*HOLDFAST_LOST_FD*|*|skip|a part of a script that `run` starts'
  'docs/cli.md|holdfast unlock nightly-report *|*|skip|names a token that no holder has'
  'docs/cli.md|holdfast count rate/limit get --json|*|quiet|each engine has its own versions'
  'docs/cli.md|holdfast run stock/1001/left *|quorum|skip|a quorum has no counters'
  'docs/cli.md|*HOLDFAST_LOCK_NAME*|*|skip|the first line of a script, which docs/recipes.md has whole'
  'docs/cli.md|holdfast show --engine --url *|*|skip|names a server that is not there'
  'docs/cli.md|holdfast gc *|*|quiet|a new engine has no old names'
  'docs/cli.md|holdfast schema mysql *|*|skip|needs the client of MariaDB and a database'
  '*|*--permits*|quorum|skip|a quorum has no semaphores'
  '*|*--fair*|quorum|skip|a quorum has no order'
  '*|holdfast latch *|quorum|skip|a quorum has no registers'
  '*|holdfast barrier *|quorum|skip|a quorum has no registers'
  '*|holdfast counter *|quorum|skip|a quorum has no registers'
  '*|holdfast count *|quorum|skip|a quorum has no registers'
  '*|holdfast semaphore *|quorum|skip|a quorum has no registers'
  '*|holdfast rm *|quorum|skip|a quorum has no registers'
  '*|echo $?|quorum|skip|what it asks about was skipped'
  'docs/cli.md|holdfast show nightly*|quorum|quiet|a quorum has no queue'
  'docs/cli.md|holdfast ls nightly*|quorum|quiet|a quorum has no queue'
)
