#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# servers.sh DEV PROGRAM DIR - ./dev servers starts servers that every engine works with,
# for root and for others, and leaves nothing behind: no process and no file.
set -euo pipefail
dev=$1 dir=$3
export program=$2

# Uses each of the servers, as a command of ./dev servers.
use_all() {
  local engine url
  for engine in REDIS ZOOKEEPER ETCD MYSQL QUORUM; do
    url=HOLDFAST_${engine}_URL
    [[ $(HOLDFAST_URL=${!url} "$program" run servers/1 -- echo "$engine" 2>&1) == "$engine" ]] ||
      { echo "$engine does not work" && exit 1; }
  done
  exit 7
}
export -f use_all

expect_nothing_left() {
  if find "$dir" -mindepth 1 | grep . || grep -lsa "$dir/[h]oldfast-servers" /proc/[0-9]*/cmdline; then
    echo "is left behind" && exit 1
  fi
}

# once [PREFIX...]: the code is the command's.
once() {
  local code=0
  "$@" "$dev" servers -- bash -c use_all || code=$?
  [[ $code == 7 ]] || { echo "code $code from $*" && exit 1; }
  expect_nothing_left
}

rm -rf "$dir"
mkdir -m 1777 "$dir"
export TMPDIR=$dir
once env
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if [[ $(id -u) == 0 ]]; then
  if "${nobody[@]}" test -x "$program"; then once "${nobody[@]}"; fi
fi

# Without a command: until Ctrl-C.
env --default-signal=INT "$dev" servers >"$dir.out" 2>"$dir.err" &
servers=$!
until [[ $(grep -c '^export HOLDFAST_URL=' "$dir.out") == 5 ]]; do
  kill -0 "$servers" || { cat "$dir.err" && exit 1; }
  sleep 0.1
done
kill -INT "$servers"
code=0
wait "$servers" || code=$?
[[ $code == 130 ]]
expect_nothing_left
