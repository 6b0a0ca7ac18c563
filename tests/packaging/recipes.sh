#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# recipes.sh PACKAGING DIR VERSION - what can be checked of the vcpkg port and the Conan
# recipe without vcpkg and Conan: the one is JSON with our version, the other is Python.
set -euo pipefail
packaging=$1 dir=$2 version=$3

rm -rf "$dir"
mkdir -p "$dir"
cat >"$dir/port.cmake" <<'END'
file(READ ${port} text)
string(JSON version GET "${text}" version)
string(JSON engine GET "${text}" features redis description)
message("version ${version}, ${engine}")
END
said=$(cmake "-Dport=$packaging/vcpkg/holdfast/vcpkg.json" -P "$dir/port.cmake" 2>&1)
[[ $said == "version $version, The engine redis" ]] || { echo "$said" && exit 1; }
command -v python3 >/dev/null || { echo "there is no Python here" && exit 77; }
PYTHONPYCACHEPREFIX=$dir python3 -W error -m py_compile "$packaging/conan/conanfile.py"
