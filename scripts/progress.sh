#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# progress.sh - reads what ninja prints and shows how far it is: on a terminal in one line
# that is rewritten, otherwise in one line every ten seconds.
set -euo pipefail
trap '' INT # ninja ends by itself, and with it what is read here

shown=$SECONDS pause=10
[[ ! -t 1 ]] || pause=1
while IFS= read -r line; do
  if [[ $line == 'ninja: no work to do.' ]]; then
    echo '       there is nothing to build'
  elif [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\  ]]; then
    done=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
    ((SECONDS - shown >= pause || done == all)) || continue
    shown=$SECONDS
    [[ ! -t 1 ]] || printf '\r'
    printf '       built %d of %d' "$done" "$all"
    [[ -t 1 && $done != "$all" ]] || printf '\n'
  fi
done
