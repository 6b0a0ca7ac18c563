#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# deb_chroot.sh DEBS - the packages in the folder DEBS install into a bare Debian, and what
# they install works there: the program, CMake's find_package and pkg-config. For root.
set -euo pipefail
debs=$(realpath "$1")
consumer=$(realpath "$(dirname "$0")/consumer")

skip() { echo "SKIPPED: the packages in a clean chroot: $1" && exit 0; }
[[ $(id -u) == 0 ]] || skip "that is for root"
command -v mmdebstrap >/dev/null || skip "there is no mmdebstrap: ./dev deps soak"
timeout 20 bash -c 'exec 3<>/dev/tcp/deb.debian.org/80' 2>/dev/null ||
  skip "deb.debian.org cannot be reached"

try=$(mktemp -d)
trap 'rm -rf "$try"' EXIT
mkdir "$try/debs"
cp "$debs"/*.deb "$try/debs"
cp -r "$consumer" "$try/consumer"
cat >"$try/use" <<'END'
set -eux
cd /srv/try
export HOLDFAST_URL=local:///tmp/segment DEBIAN_FRONTEND=noninteractive
apt-get install -y --no-install-recommends ./debs/holdfast_*.deb ./debs/libholdfast-core0*.deb
holdfast --version | grep -x 'engines: local quorum'
[ "$(holdfast run a -- echo ran)" = ran ]
[ -z "$(find /usr/lib -name 'libgrpc*' -o -name 'libmariadb*')" ]
holdfast schema mysql 2>&1 | grep 'install the package libholdfast-mysql0.1'
apt-get install -y --no-install-recommends ./debs/libholdfast-mysql0*.deb
holdfast schema mysql
apt-get install -y --no-install-recommends ./debs/*.deb g++ cmake make pkg-config
holdfast --version | grep -x 'engines: local redis zookeeper etcd mysql quorum'
cmake -S consumer -B built -DCONSUME=find_package
cmake --build built
built/consumer
g++ -std=c++20 consumer/consumer.cc -o by_pkg_config $(pkg-config --cflags --libs holdfast)
./by_pkg_config
apt-get purge -y holdfast holdfast-demo libholdfast-dev 'libholdfast-*0.1'
[ -z "$(find /usr -name '*holdfast*')" ]
END
chmod -R a+rX "$try"
mmdebstrap --variant=apt --mode=root --format=null \
  --customize-hook="mkdir \"\$1/srv/try\" && cp -r $try/* \"\$1/srv/try\"" \
  --customize-hook='chroot "$1" sh /srv/try/use' \
  "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" /dev/null http://deb.debian.org/debian
echo "the packages install, work and go in a clean chroot"
