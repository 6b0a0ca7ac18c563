#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# engines_appear.sh SOURCE DIR IGNORED ENGINE... - a folder that was configured when the
# client libraries in IGNORED (folders, with colons) could not be found has every ENGINE
# once they can.
set -euo pipefail
source=$1 dir=$2 ignored=${3//:/;}
shift 3

configure() { cmake -S "$source" --preset demo -B "$dir" -DHOLDFAST_BUILD_DEMO=OFF "$@"; }

rm -rf "$dir"
without=$(configure "-DCMAKE_IGNORE_PATH=$ignored")
with=$(configure -UCMAKE_IGNORE_PATH)
for engine in "$@"; do
  grep -q -- "without the engine $engine: it needs lib" <<<"$without" ||
    { echo "$without" && echo "the first time, $engine should not be there" && exit 1; }
  if grep -- "without the engine $engine" <<<"$with"; then exit 1; fi
  grep -q "engines/$engine/" "$dir/build.ninja" ||
    { echo "the second time, $engine is not built" && exit 1; }
done
