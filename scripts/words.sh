#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# words.sh - counts, for each word that decision 31 retires, the lines of the code that still
# have it, as a whole word.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

all=0
while IFS= read -r word; do
  count=$({ grep -rwh --include='*.h' --include='*.cc' "$word" include src tools || true; } |
    wc -l)
  printf '%6d  %s\n' "$count" "$word"
  all=$((all + count))
done < <(sed -n '/^| retired/,/^$/s/^| \(`[^|]*\) |.*/\1/p' docs/decisions/0031-one-vocabulary.md |
  tr -d '` ' | tr ',' '\n' | sort -fu)
printf '%6d  in all\n' "$all"
