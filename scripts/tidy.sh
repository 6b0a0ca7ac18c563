#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# tidy.sh [--all] - clang-tidy on what has changed, by content and not by the clock.
#
# A file that passed is remembered by a hash of all that decides about it: its text without
# comments, that of the headers of ours that it includes, directly or not, its compile command,
# .clang-tidy and the versions of clang-tidy and of the libraries. It is looked at again when
# one of these is another. HOLDFAST_LINT_CACHE is the folder of the hashes, by default in
# ~/.cache.
#
# On a branch, it looks at what differs from origin/main: files, then for each header one file
# that includes it, then the others that do. Elsewhere at everything, beginning with what was
# changed last, but at the first 40 files alone, so that a cold cache does not take an hour, and
# so that a second run looks at the same files. HOLDFAST_LINT_MOST is another limit, for both;
# --all has none. Reads build/tidy/compile_commands.json.
set -euo pipefail
cd "$(dirname "$0")/.."

all=${1:-}
database=build/tidy/compile_commands.json
cache=${HOLDFAST_LINT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/holdfast/lint}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$cache" "$work/keys" build/log

git ls-files -co --exclude-standard -- '*.cc' '*.h' | sort -u |
  while read -r file; do [[ ! -e $file ]] || echo "$file"; done >"$work/files"

# What has changed, the most recent first.
base=$(git merge-base HEAD origin/main 2>/dev/null) || true
{
  git diff --name-only "${base:-HEAD}" --
  git ls-files -o --exclude-standard
} >"$work/changed"
most=${HOLDFAST_LINT_MOST:-100000}
if [[ -z $base || $base == "$(git rev-parse HEAD)" ]]; then
  most=${HOLDFAST_LINT_MOST:-40}
  git log --name-only --format= -- '*.cc' '*.h' >>"$work/changed"
  cat "$work/files" >>"$work/changed"
fi

{
  clang-tidy-14 --version
  cat .clang-tidy tests/.clang-tidy 2>/dev/null || true
  dpkg-query -W '*-dev' 2>/dev/null || true
} | sha1sum >"$work/tools"

# Copies without the lines that are comments, but for those that clang-tidy reads.
sed "s|[^/]*\$||; s|^|$work/text/|" "$work/files" | sort -u | xargs mkdir -p
xargs awk -v to="$work/text/" '
  FNR == 1 { close(out); out = to FILENAME; printf "" >out }
  !/^[ \t]*\/\// || /NOLINT/ { print >out }' <"$work/files"
(cd "$work/text" && xargs sha1sum <"$work/files") >"$work/hashes"
xargs grep -HE '^[ \t]*#[ \t]*include[ \t]*[<"]' <"$work/files" >"$work/includes"
sed -n "s|$PWD/||g; s/^ *\"command\": //p; s/^ *\"file\": \"\(.*\)\"\$/FILE \1/p" "$database" \
  >"$work/commands"

# Writes for each source that the build knows what decides about it, as a file in keys/, and
# prints the sources to look at, the most wanted first.
awk -v keys="$work/keys/" '
  # The file of ours that an include leads to; empty: it is not ours.
  function resolve(from, spelt,   folder, i) {
    folder = from
    sub(/[^\/]*$/, "", folder)
    while (sub(/^\.\.\//, "", spelt)) sub(/[^\/]*\/$/, "", folder)
    if ((folder spelt) in hash) return folder spelt
    for (i = 1; i <= roots; i++) if ((root[i] spelt) in hash) return root[i] spelt
    return spelt in hash ? spelt : ""
  }
  function collect(file, into,   i) {
    if (file in into) return
    into[file] = 1
    for (i = 1; i <= includes[file]; i++) collect(included[file, i], into)
  }
  function offer(file) {
    if (!(file in command) || file in offered) return
    offered[file] = 1
    print file
  }
  BEGIN { roots = split("include/ src/ tests/ bench/ tools/holdfast/ shop/", root, " ") }
  of == "tools" { tools = $1 }
  of == "hashes" { hash[$2] = $1; name[++names] = $2 }
  of == "includes" {
    file = spelt = $0
    sub(/:.*/, "", file)
    sub(/^[^<"]*[<"]/, "", spelt)
    sub(/[>"].*/, "", spelt)
    path = resolve(file, spelt)
    if (path != "") included[file, ++includes[file]] = path
  }
  of == "commands" && $1 != "FILE" { text = text $0 "\n" }
  of == "commands" && $1 == "FILE" { # several: it is compiled in several ways
    if ($2 in hash) command[$2] = command[$2] text
    text = ""
  }
  of == "changed" && $0 in hash { wanted[++wants] = $0 }
  END {
    for (i = 1; i <= names; i++) {
      if (!(name[i] in command)) continue
      split("", closure)
      collect(name[i], closure)
      key = name[i]
      gsub(/\//, "%", key)
      key = keys key
      print tools "\n" command[name[i]] >key
      for (j = 1; j <= names; j++) {
        if (!(name[j] in closure)) continue
        print hash[name[j]], name[j] >key
        users[name[j]] = users[name[j]] " " name[i]
      }
      close(key)
    }
    for (i = 1; i <= wants; i++) offer(wanted[i])
    for (i = 1; i <= wants; i++) {
      own = wanted[i]
      sub(/\.h$/, ".cc", own)
      split(users[wanted[i]], user, " ")
      offer(own in command ? own : user[1])
    }
    for (i = 1; i <= wants; i++) {
      count = split(users[wanted[i]], user, " ")
      for (j = 1; j <= count; j++) offer(user[j])
    }
  }' of=tools "$work/tools" of=hashes "$work/hashes" of=includes "$work/includes" \
  of=commands "$work/commands" of=changed "$work/changed" >"$work/wanted"

left=0
if [[ $all == --all ]]; then
  sed -n 's/^FILE //p' "$work/commands" | grep -xFf - "$work/files" >"$work/wanted"
else
  left=$(tail -n "+$((most + 1))" "$work/wanted" | wc -l)
  sed -i "$((most + 1)),\$d" "$work/wanted"
fi

# Those that have not passed as they are now, each with its key.
passed=0
while read -r file; do
  key=$(sha1sum <"$work/keys/${file//\//%}")
  key=${key%% *}
  if [[ -e $cache/$key ]]; then
    touch "$cache/$key"
    passed=$((passed + 1))
  else
    printf '%s %s\n' "$file" "$key"
  fi
done <"$work/wanted" >"$work/new"
find "$cache" -type f -mtime +30 -delete

printf 'clang-tidy: %d files; %d more passed before' "$(wc -l <"$work/new")" "$passed"
((left == 0)) && echo || printf '; %d are left to ./dev lint --all\n' "$left"

look_at() { # FILE KEY
  clang-tidy-14 -p build/tidy --quiet "$1" 2>>build/log/tidy.log && : >"$cache/$2"
}
export -f look_at
export cache
: >build/log/tidy.log
xargs -r -L1 -P"$(nproc)" bash -c 'look_at "$@" || exit 1' look_at <"$work/new"
