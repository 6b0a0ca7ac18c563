#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# install_refused.sh DEV DIR - ./dev install into a folder that its user may not write to
# ends at once, in one sentence, and has built nothing.
set -euo pipefail
dev=$1 dir=$2

rm -rf "$dir"
mkdir -m 555 "$dir"
# Without new privileges, sudo does not help.
as_user=(setpriv --no-new-privs)
[[ $(id -u) != 0 ]] || as_user+=(--reuid=65534 --regid=65534 --clear-groups)
"${as_user[@]}" test -x "$dev" || { echo "nobody cannot reach $dev" && exit 77; }
code=0
said=$("${as_user[@]}" "$dev" install "$dir/prefix" 2>&1 </dev/null) || code=$?
echo "$said"
[[ $code == 77 && $(wc -l <<<"$said") == 1 ]]
[[ $said == "dev: you may not write to $dir/prefix"*"as root"* ]]

# An option is no folder.
code=0
said=$("$dev" install --help 2>&1 </dev/null) || code=$?
echo "$said"
[[ $code == 64 && $said == "dev: install takes a folder"* ]]
