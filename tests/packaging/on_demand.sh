#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# on_demand.sh PREFIX DIR - the program that is installed in PREFIX loads the library of an
# engine when it needs it, from its own folder and no other, and says what to install when the
# library is missing.
set -euo pipefail
prefix=$1 dir=$2

rm -rf "$dir"
mkdir -p "$dir"/{bin,lib,elsewhere}
cp -al "$prefix/bin/holdfast" "$dir/bin"
cp -al "$prefix"/lib/libholdfast-*.so.* "$dir/lib"
holdfast=$dir/bin/holdfast

# loads CODE WANTED UNWANTED ARGS...: runs the program with ARGS; WANTED and UNWANTED are
# regular expressions of the libraries that it loads meanwhile.
loads() {
  local code=0 wanted=$2 unwanted=$3 expected=$1
  shift 3
  rm -f "$dir"/debug.*
  LD_DEBUG=files LD_DEBUG_OUTPUT=$dir/debug "$holdfast" "$@" >"$dir/said" 2>&1 || code=$?
  sed -n 's/.*calling init: //p' "$dir"/debug.* | sort -u >"$dir/loaded"
  [[ $code == "$expected" ]] || { cat "$dir/said" && echo "code $code: $*" && exit 1; }
  grep -qE "$wanted" "$dir/loaded" || { echo "not loaded: $wanted: $*" && exit 1; }
  if grep -E "$unwanted" "$dir/loaded"; then echo "loaded: $*" && exit 1; fi
}

clients='grpc|protobuf|mariadb|hiredis|zookeeper|libssl|sqlite|libholdfast-(redis|etcd|demo)'
loads 0 libholdfast-core "$clients" run a -- true
loads 0 libholdfast-core "$clients" --version
grep -qx 'engines: local redis zookeeper etcd mysql quorum' "$dir/said"
loads 0 libmariadb 'grpc|hiredis|zookeeper' schema mysql
loads 78 libhiredis 'grpc|mariadb|zookeeper' schema redis # it needs none
loads 0 libsqlite3 'grpc|hiredis|zookeeper' demo --help

# A library that lies elsewhere does not count.
mv "$dir"/lib/libholdfast-redis.* "$dir/elsewhere"
rm "$dir"/lib/libholdfast-demo.*
cd "$dir/elsewhere"
export LD_LIBRARY_PATH=$dir/elsewhere
loads 78 libholdfast-core "$clients" run --url redis://127.0.0.1 a -- true
grep -F "engine 'redis' is not installed: there is no $dir/bin/../lib/libholdfast-redis.so." "$dir/said"
grep -E '; install the package libholdfast-redis[0-9.]+$' "$dir/said"
loads 78 libholdfast-core "$clients" demo
grep -F '; install the package holdfast-demo' "$dir/said"
loads 0 libholdfast-core "$clients" --version
grep -qx 'engines: local zookeeper etcd mysql quorum' "$dir/said"

# One that is damaged is told apart.
for file in "$dir"/elsewhere/*; do echo damaged >"$dir/lib/${file##*/}"; done
loads 78 libholdfast-core "$clients" run --url redis://127.0.0.1 a -- true
grep -F "engine 'redis' cannot be loaded: " "$dir/said"
