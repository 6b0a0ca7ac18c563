#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# tidy.sh SCRIPT DIR - scripts/tidy.sh looks at a file again when something that decides about
# it has changed, and only then. A stand-in for clang-tidy writes down what it is asked for.
set -euo pipefail
script=$1 dir=$2
command -v git >/dev/null || { echo "there is no git here" && exit 77; }

rm -rf "$dir"
mkdir -p "$dir"/{scripts,src/core,build/tidy,bin}
cp "$script" "$dir/scripts/tidy.sh"
cat >"$dir/bin/clang-tidy-14" <<'END'
#!/bin/sh
[ "$1" != --version ] || { echo 'version 14' && exit; }
for file; do :; done
echo "$file" >>asked
! grep -q bad "$file"
END
chmod +x "$dir/bin/clang-tidy-14"
export PATH=$dir/bin:$PATH HOLDFAST_LINT_CACHE=$dir/cache
cd "$dir"
touch .clang-tidy
printf '/build/\n/cache/\n/asked\n/said\n' >.gitignore
echo '#include "core/b.h"' >src/core/a.h
echo 'int b();' >src/core/b.h
echo '#include "core/a.h"' >src/core/a.cc
echo '#include "core/b.h"' >src/core/b.cc
echo 'int c;' >src/core/c.cc

# compile_commands FLAGS-OF-C
compile_commands() {
  local file
  for file in a b c; do
    printf '  "command": "c++ %s %s",\n' "$([[ $file != c ]] || echo "$1")" "$PWD/src/core/$file.cc"
    printf '  "file": "%s"\n' "$PWD/src/core/$file.cc"
  done >build/tidy/compile_commands.json
}

git() { command git -c user.name=test -c user.email=test@example.org "$@"; }
commit() { git add -A && git commit -qm "$1"; }

# expect FILES [TIDY-ARGS...]
expect() {
  local wanted=$1 asked
  shift
  : >asked
  code=0
  scripts/tidy.sh "$@" >said 2>&1 || code=$?
  asked=$(sort asked | sed -E 's,^src/core/(.*)\.cc$,\1,' | paste -sd ' ')
  [[ $asked == "$wanted" ]] || {
    cat said
    echo "looked at '$asked', not at '$wanted'"
    exit 1
  }
}

compile_commands -O1
git init -q .
commit first
expect 'a b c'
expect ''
expect '' --all

echo 'int d();' >>src/core/b.h
expect 'a b'
commit 'a header'
expect ''
touch src/core/a.h src/core/c.cc # the clock does not count
expect ''
compile_commands -O2
expect 'c'
echo 'Checks: one' >.clang-tidy
expect 'a b c'

# A comment does not count, unless clang-tidy reads it.
echo '// A comment.' >>src/core/b.h
expect ''
echo '// NOLINT' >>src/core/c.cc
expect 'c'

# What fails is looked at until it passes.
echo 'int bad;' >>src/core/c.cc
expect 'c'
[[ $code != 0 ]] || { echo "a failure went unnoticed" && exit 1; }
expect 'c'
echo 'int c;' >src/core/c.cc
expect ''

# On a branch, what differs from origin/main alone; and no more than one says.
commit 'more'
git update-ref refs/remotes/origin/main HEAD
echo 'Checks: two' >.clang-tidy
echo 'int e;' >>src/core/c.cc
commit 'a branch'
expect 'c'
echo 'int f();' >>src/core/b.h
HOLDFAST_LINT_MOST=1 expect '' # c comes first, and has passed
HOLDFAST_LINT_MOST=2 expect 'b' # which is the header's own
[[ $(<said) == *'1 are left to ./dev lint --all'* ]] || { cat said && exit 1; }
HOLDFAST_LINT_MOST=2 expect ''
expect 'a' --all

# On a branch all that a header is included by, elsewhere the first 40 files of all.
for i in {1..41}; do echo '#include "core/b.h"' >"src/core/user$i.cc"; done
for i in {1..41}; do
  printf '  "command": "c++ %s",\n  "file": "%s"\n' "$PWD/src/core/user$i.cc" "$PWD/src/core/user$i.cc"
done >>build/tidy/compile_commands.json
commit 'users of a header'
git update-ref refs/remotes/origin/main HEAD
echo 'int g();' >>src/core/b.h
commit 'its header'
expect "a b $(printf 'user%s\n' {1..41} | sort | paste -sd ' ')"
git update-ref refs/remotes/origin/main HEAD
HOLDFAST_LINT_CACHE=$PWD/cold scripts/tidy.sh >said 2>&1
[[ $(<said) == *'4 are left to ./dev lint --all'* ]] || { cat said && exit 1; }
