#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# deb_contents.sh DEB PREFIX DIR VERSION - each of the packages has what is installed in
# PREFIX and is its to have, no more and no less, and asks for the others.
set -euo pipefail
deb=$1 prefix=$2 dir=$3 version=$4
type dh dpkg-buildpackage >/dev/null 2>&1 ||
  { echo "there is no debhelper here: ./dev deps deb" && exit 77; }

# As a build for /usr has it: the libraries in the folder of their architecture.
libraries=usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
rm -rf "$dir"
mkdir -p "$dir/staged/usr/lib" "$dir/staged/$libraries"
cp -a "$prefix"/* "$dir/staged/usr"
mv "$dir"/staged/usr/lib/{cmake,pkgconfig,libholdfast*} "$dir/staged/$libraries"
"$deb" "$dir/debs" "$dir/staged" >"$dir/log" 2>&1 || { tail -n 40 "$dir/log" && exit 1; }

files() { # PACKAGE
  dpkg-deb -c "$dir"/debs/"$1"_"$version"_*.deb | awk '$1 !~ /^d/ { print $6 }' |
    grep -v '^\./usr/share/doc/'
}

expect() { # PACKAGE REGEX-OF-ITS-FILES
  files "$1" >"$dir/files"
  [[ -s $dir/files ]] || { echo "$1 is empty" && exit 1; }
  if grep -vE "^\./($2)$" "$dir/files"; then echo "is not for $1" && exit 1; fi
  cat "$dir/files" >>"$dir/all"
}

for part in core redis zookeeper etcd mysql; do
  expect libholdfast-${part}0.1 "$libraries/libholdfast-$part\.so\.[0-9.]+"
done
expect holdfast-demo "$libraries/libholdfast-demo\.so\.[0-9.]+"
expect libholdfast-dev "usr/include/holdfast/.*\.h|$libraries/(libholdfast(-[a-z]+)?\.so|libholdfast_testing\.a|cmake/holdfast/.*|pkgconfig/holdfast(-[a-z]+)?\.pc)"
expect holdfast 'usr/bin/holdfast|usr/share/(man|bash-completion|zsh|fish)/.*'

# Nothing that is installed is in none of them; manual pages are compressed.
(cd "$dir/staged" && find . ! -type d | sort) >"$dir/wanted"
sed 's/\.gz$//' "$dir/all" | sort | diff "$dir/wanted" -

field() { dpkg-deb -f "$dir"/debs/"$1"_*.deb "$2"; }
needs() { # PACKAGE LIBRARY-PACKAGE
  [[ $(field "$1" Depends) == *"$2"* ]] || { echo "$1 does not need $2" && exit 1; }
}
for part in core redis zookeeper etcd mysql; do
  needs libholdfast-dev "libholdfast-${part}0.1 (= $version)"
  [[ $part == core ]] || needs libholdfast-${part}0.1 "libholdfast-core0.1 (= $version)"
done
needs libholdfast-redis0.1 libhiredis
needs libholdfast-zookeeper0.1 libzookeeper-mt
needs libholdfast-etcd0.1 libgrpc
needs libholdfast-mysql0.1 libmariadb
needs holdfast-demo libsqlite3
needs holdfast libholdfast-core0.1
if grep -E 'hiredis|grpc|mariadb|zookeeper|sqlite' <(field libholdfast-core0.1 Depends && field holdfast Depends); then
  echo "is not for everybody" && exit 1
fi
