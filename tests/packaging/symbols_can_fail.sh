#!/usr/bin/env bash
# symbols_can_fail.sh CXX DIR - symbols.sh passes a library that shows its API, and refuses
# one that shows anything of an inner namespace.
set -euo pipefail
cxx=$1 dir=$2
check=$(dirname "$0")/symbols.sh

rm -rf "$dir"
mkdir -p "$dir"

# library CODE: makes it, beside the API.
library() {
  printf '%s\n' 'namespace holdfast { struct Client { static void open(); }; void Client::open() {} }' \
    'namespace holdfast::engine { void admits() {} }' "$1" >"$dir/library.cc"
  "$cxx" -shared -fPIC -o "$dir/library.so" "$dir/library.cc"
}

refused() { # CODE
  library "$1"
  if "$check" "$dir/library.so" >/dev/null; then
    echo "not found: $1"
    exit 1
  fi
}

library ''
"$check" "$dir/library.so"
for inside in base core primitives kit local redis zookeeper etcd mysql mysql::sql quorum; do
  refused "namespace holdfast::$inside { void leak() {} }"
done
refused 'namespace holdfast::core { struct Leak { virtual ~Leak(); }; Leak::~Leak() {} }'
refused 'namespace holdfast::core { int leak; }'
