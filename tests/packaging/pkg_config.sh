#!/usr/bin/env bash
# pkg_config.sh CXX PREFIX OUT - builds and runs the consumer with pkg-config's flags.
set -euo pipefail
cxx=$1 prefix=$2 out=$3

pc=$(find "$prefix" -name holdfast.pc)
libdir=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH=${pc%/*}
read -ra flags < <(pkg-config --cflags --libs holdfast)
"$cxx" -std=c++20 "$(dirname "$0")/consumer/consumer.cc" -o "$out" "${flags[@]}"
LD_LIBRARY_PATH=$libdir "$out"
