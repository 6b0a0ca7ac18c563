#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# deb.sh OUT [STAGED] - makes the packages of packaging/debian/control as .deb files in OUT.
# With STAGED, the path of a root with all in its usr, nothing is compiled.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath -m "$1")
export HOLDFAST_STAGED=${2:-}

version=$(sed -nE 's/^project\(holdfast VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
source=$out/holdfast-$version
export SOURCE_DATE_EPOCH DEB_BUILD_OPTIONS='nocheck noautodbgsym'
SOURCE_DATE_EPOCH=$(stat -c %Y CHANGELOG.md)

# The root of the tree stays clean: the packages are made from a copy of what they need.
rm -rf "$out"
mkdir -p "$source"
cp -a CMakeLists.txt CMakePresets.json LICENSE README.md CHANGELOG.md cmake include src \
  tools demo "$source"
cp -a packaging/debian "$source/debian"
cat >"$source/debian/changelog" <<END
holdfast ($version) unstable; urgency=medium

  * Made from the source tree: its CHANGELOG.md has the changes.

 -- $(sed -n 's/^Maintainer: //p' packaging/debian/control)  $(date -uR -d "@$SOURCE_DATE_EPOCH")
END
cd "$source"
dpkg-buildpackage -b -uc -us
