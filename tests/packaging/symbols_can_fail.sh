#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# symbols_can_fail.sh CXX DIR - symbols.sh passes libraries that show what they are to show,
# and refuses one that shows anything else.
set -euo pipefail
cxx=$1 dir=$2
check=$(dirname "$0")/symbols.sh

rm -rf "$dir"
mkdir -p "$dir"

# library NAME CODE PUBLIC PRIVATE: makes it; the last two are patterns of its symbols.
library() {
  echo "$2" >"$dir/library.cc"
  printf 'HOLDFAST_0.1 { global: %s };\nHOLDFAST_PRIVATE_0.1.0 { global: %s local: *; };\n' \
    "${3:-none;}" "${4:-none;}" >"$dir/map"
  "$cxx" -shared -fPIC "-Wl,--version-script=$dir/map" -o "$dir/libholdfast-$1.so.0.1" "$dir/library.cc"
}

api='namespace holdfast { inline namespace v0 { struct Client { static void open(); };
  void Client::open() {} namespace engine { void admits() {} } } namespace base { void uri() {} } }'
v0='_ZN8holdfast2v0*;' base='_ZN8holdfast4base*;'
entry='extern "C" void holdfast_redis_engine_v0() {}'

library core "$api" "$v0" "$base"
"$check" "$dir/libholdfast-core.so.0.1"
library redis "$entry namespace holdfast::redis { void hidden() {} }" '' 'holdfast_*;'
"$check" "$dir/libholdfast-redis.so.0.1"

refused() { # NAME CODE PUBLIC PRIVATE
  library "$@"
  if "$check" "$dir/libholdfast-$1.so.0.1" >/dev/null; then
    echo "not found: $*"
    exit 1
  fi
}

leak="$api namespace holdfast"
for inside in core primitives local quorum; do
  refused core "$leak::$inside { void leak() {} }" "$v0 *leak*;" "$base"
  refused core "$leak::$inside { void leak() {} }" "$v0" "$base *leak*;"
done
refused core "$leak::core { struct Leak { virtual ~Leak(); }; Leak::~Leak() {} }" "$v0 *Leak*;" "$base"
refused core "$leak::core { int leak; }" "$v0 *leak*;" "$base"
refused core "$leak::base { void leak() {} }" "$v0 *leak*;" '' # not for users
refused core "$entry" '' ''
refused redis "$entry namespace holdfast::redis { void leak() {} }" '' 'holdfast_*; *leak*;'
refused redis 'extern "C" void holdfast_etcd_engine_v0() {}' '' 'holdfast_*;'
