#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# pkg_config.sh CXX PREFIX OUT SHARED - builds and runs the consumer with pkg-config's flags, for
# all of the library and for a part of it, and with the plain -lholdfast.
set -euo pipefail
cxx=$1 prefix=$2 out=$3 shared=$4

pc=$(find "$prefix" -name holdfast.pc)
libdir=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH=${pc%/*} LD_LIBRARY_PATH=$libdir

read -ra flags < <(pkg-config --cflags holdfast)
"$cxx" -std=c++20 -c "$(dirname "$0")/consumer/consumer.cc" -o "$out.o" "${flags[@]}"

try() { # NAME FLAGS...
  local name=$1
  shift
  "$cxx" "$out.o" -o "$out-$name" "$@"
  "$out-$name"
}

for package in holdfast holdfast-core holdfast-redis; do
  [[ -e ${pc%/*}/$package.pc ]] || continue # not built
  read -ra flags < <(pkg-config --libs "$package")
  try "$package" "${flags[@]}"
done
[[ $shared == 1 ]] || exit 0 # the plain one leaves the client libraries to its user
try plain "-L$libdir" -lholdfast
if [[ -e $out-holdfast-redis ]]; then
  "$(dirname "$0")/needs.sh" "$out-holdfast-redis" libholdfast-redis 'grpc|mariadb|zookeeper'
fi
