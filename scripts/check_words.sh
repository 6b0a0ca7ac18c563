#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# check_words.sh [ROOT] - no code, no comment and no name of a file has a word that decision 31
# retires, except where the word means something else. A word in lower case is retired as a
# part of a name, too: is_deaf, kMute, deaf_waiter.h. A type is retired by its whole name,
# since its parts may stay: Bound is retired, BoundResource is what to say instead.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

# A word, the files in which it means something else, and what it means there.
other_meanings='
Member tests/support/etcd_    a server of a cluster, as etcd calls it
Stock  (demo|shop)/           what a shop sells
Unit   .*/durations?\.cc      a unit of time
nobody tests/(cli/several_users_test|faults/several_users_test|support/other_user) a user of that name
party  .*                     a process that takes part in a double barrier
stage  (shop|tests)/          where a scene or a model is played
'
# In comments and texts these are verbs at the beginning of a sentence.
verbs='Wait Waits Link'

retired() {
  sed -n '/^| retired/,/^$/s/^| \(`[^|]*\) |.*/\1/p' docs/decisions/0031-one-vocabulary.md |
    tr -d '` ' | tr ',' '\n'
}

mapfile -t words < <(retired)
[[ ${#words[@]} != 0 ]] || { echo "check_words: no words in decision 31" >&2; exit 1; }
mapfile -t folders < <(ls -d include src tools demo shop examples bench tests 2>/dev/null)
mapfile -t files < <(find "${folders[@]}" -regextype posix-extended -type f \
  -regex '.*\.(h|cc|lua|proto|java)' | sort)
[[ ${#files[@]} != 0 ]] || { echo "check_words: no files in $PWD" >&2; exit 1; }

WORDS=${words[*]} OTHER=$other_meanings VERBS=$verbs awk '
BEGIN {
  n = split(ENVIRON["WORDS"], list, " ")
  for (i = 1; i <= n; i++) retired[list[i]] = 1
  for (word in retired) if (word ~ /^[a-z]+$/) part_of_name[word] = 1
  n = split(ENVIRON["VERBS"], list, " ")
  for (i = 1; i <= n; i++) verb[list[i]] = 1
  n = split(ENVIRON["OTHER"], list, "\n")
  for (i = 1; i <= n; i++) if (split(list[i], part, " ") > 1) other[part[1]] = part[2]
}
function report(word, name) {
  if (word in other && FILENAME ~ "^" other[word]) return
  printf "%s:%d: %s is retired%s: docs/decisions/0031-one-vocabulary.md says what to say instead\n",
    FILENAME, FNR, word, name == word ? "" : ", also in " name
  bad = 1
}
function look_inside(name,    n, i, parts, spelt) {
  spelt = name
  gsub(/[A-Z]+/, "_&", spelt)
  n = split(tolower(spelt), parts, /[_\/]+/)
  for (i = 1; i <= n; i++) if (parts[i] in part_of_name) report(parts[i], name)
}
function look(text, in_code,    n, i, word, found) {
  n = split(text, found, /[^A-Za-z0-9_]+/)
  for (i = 1; i <= n; i++) {
    word = found[i]
    if (word in retired) {
      if ((word in verb) == in_code) report(word, word)
    } else if (in_code && word ~ /[A-Z_]/) {
      look_inside(word)
    }
  }
}
FNR == 1 {
  name = FILENAME
  sub(/\.[a-z]+$/, "", name)
  look_inside(name)
}
{
  look($0, 0)
  code = $0
  gsub(/"([^"\\]|\\.)*"/, " ", code)
  if (FILENAME ~ /\.lua$/) sub(/--.*/, "", code)
  else sub(/\/\/.*/, "", code)
  look(code, 1)
}
END { exit bad }' "${files[@]}"
