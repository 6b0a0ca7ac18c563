#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# walk_can_fail.sh PREFIX - walk.sh passes a page that is right, and finds each of the
# mistakes below.
set -euo pipefail
page=$(mktemp --suffix .md)
trap 'rm -f "$page" "$page.out"' EXIT

walk() { # BLOCK
  printf '# A page\n\n```%s\n```\n' "$1" >"$page"
  HOLDFAST_TEST_SCALE=0 "$(dirname "$0")/walk.sh" "$prefix" local "$page" >"$page.out" 2>&1
}
good() { walk "$1" || { cat "$page.out" && echo "refused: $1" && exit 1; }; }
bad() { if walk "$1"; then echo "not found: $1" && exit 1; fi; }

prefix=$1
good $'sh\nholdfast run a -- true'
good $'sh\ncat >b <<END\nthere\nEND\ntest "$(cat b)" = there'
good $'\n$ holdfast run a -- echo "pid 17 and token 123"\npid 99 and token 456'
good $'\n$ printf "one\\ntwo\\nthree\\n"\none\n...\nthree'
bad $'sh\nholdfast run a -- false'
bad $'sh\nholdfast run a -- echo "'
bad $'\n$ holdfast run a -- echo one\ntwo'
bad $'\n$ holdfast run a -- printf "one\\ntwo\\n"\none'
bad $'\n$ holdfast counter walked set 3\n4'
bad $'\n$ (exit 3)\n$ echo $?\n0'
