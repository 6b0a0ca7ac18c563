#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# check_words.sh [ROOT] - no code and no comment has a word that decision 31 retires, except
# where the word means something else.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

# A word, the files in which it means something else, and what it means there.
other_meanings='
Member tests/support/etcd_    a server of a cluster, as etcd calls it
Stock  (demo|shop)/           what a shop sells
Unit   .*/durations?\.cc      a unit of time
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
mapfile -t files < <(find "${folders[@]}" -name '*.h' -o -name '*.cc' | sort)
[[ ${#files[@]} != 0 ]] || { echo "check_words: no files in $PWD" >&2; exit 1; }

WORDS=${words[*]} OTHER=$other_meanings VERBS=$verbs awk '
BEGIN {
  n = split(ENVIRON["WORDS"], list, " ")
  for (i = 1; i <= n; i++) retired[list[i]] = 1
  n = split(ENVIRON["VERBS"], list, " ")
  for (i = 1; i <= n; i++) verb[list[i]] = 1
  n = split(ENVIRON["OTHER"], list, "\n")
  for (i = 1; i <= n; i++) if (split(list[i], part, " ") > 1) other[part[1]] = part[2]
}
function look(text, in_code,    n, i, word, found) {
  n = split(text, found, /[^A-Za-z0-9_]+/)
  for (i = 1; i <= n; i++) {
    word = found[i]
    if (!(word in retired) || (word in verb) != in_code) continue
    if (word in other && FILENAME ~ "^" other[word]) continue
    printf "%s:%d: %s is retired: docs/decisions/0031-one-vocabulary.md says what to say instead\n",
      FILENAME, FNR, word
    bad = 1
  }
}
{
  look($0, 0)
  code = $0
  gsub(/"([^"\\]|\\.)*"/, " ", code)
  sub(/\/\/.*/, "", code)
  look(code, 1)
}
END { exit bad }' "${files[@]}"
