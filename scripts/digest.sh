#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# digest.sh DIR NAME - reads what `ctest --verbose` prints and shows what matters of it:
# how far it is, all that a failed case said, and the sum.
#
# A case is a case of GoogleTest, however many of them a process runs, or else a test of
# ctest. Leaves in DIR: skipped-NAME.log, each skipped case with its reason, failed-NAME.log,
# each failed case with what it said, and result-NAME, "PASSED FAILED SKIPPED". The result is
# written however this script ends: an early end counts as a failure. Lines that other output
# has garbled may cost a count, never the rest.
set -euo pipefail
trap '' INT # what it reads ends by itself, and the sum is then printed
dir=$1 name=$2

passed=0 skipped=0 failed=()
declare -A running=() said=() left=() bad=() # by ctest's number of a test
tests='' shown=$SECONDS unread='' complete=''
: >"$dir/skipped-$name.log"
: >"$dir/failed-$name.log"

write_result() {
  local failures=${#failed[@]}
  if [[ -z $complete ]]; then
    failures=$((failures + 1))
    echo "FAILED: the digest of $name ended before its input did" >>"$dir/failed-$name.log"
  fi
  echo "$passed $failures $skipped" >"$dir/result-$name"
}
trap write_result EXIT

clear_line() { [[ ! -t 1 ]] || printf '\r\e[K'; }

# One line that is rewritten on a terminal, otherwise one every ten seconds.
progress() {
  local line pause=10
  [[ ! -t 1 ]] || pause=1
  ((SECONDS - shown >= pause)) || return 0
  shown=$SECONDS
  printf -v line '[%3ds] %d cases passed, %d failed, %d skipped%s' "$SECONDS" \
    "$passed" "${#failed[@]}" "$skipped" "${tests:+; $tests processes ended}"
  if [[ -t 1 ]]; then printf '\r%s\e[K' "$line"; else printf '%s\n' "$line"; fi
}

fail() { # CASE WHAT-IT-SAID
  failed+=("$1")
  clear_line
  printf '%s\nFAILED: %s\n\n' "${2%$'\n'}" "$1" | tee -a "$dir/failed-$name.log"
}

skip() { # CASE WHAT-IT-SAID
  local reason=${2#*: Skipped$'\n'}
  skipped=$((skipped + 1))
  reason=${reason%%$'\n\n'*}
  printf '%s: %s\n' "$1" "${reason//$'\n'/ }" >>"$dir/skipped-$name.log"
}

end_case() { # NUMBER VERDICT
  case $2 in
    OK) passed=$((passed + 1)) ;;
    SKIPPED) skip "${running[$1]}" "${said[$1]}" ;;
    FAILED) bad[$1]=1 && fail "${running[$1]}" "${said[$1]}" ;;
  esac
  left[$1]=$((${left[$1]:-0} - 1)) # below zero: the line that says how many there are was lost
  running[$1]='' said[$1]=''
}

# A line that test NUMBER wrote. Of ctest's own lines about it the last is the timeout.
hear() { # NUMBER TEXT
  local of_case=${running[$1]:-}
  if [[ $2 == '[ RUN      ] '* ]]; then
    running[$1]=${2:13} said[$1]=''
  elif [[ -n $of_case && $2 =~ \[\ +(OK|FAILED|SKIPPED)\ +\]\ (.*) &&
    ${BASH_REMATCH[2]} == "$of_case"* ]]; then
    end_case "$1" "${BASH_REMATCH[1]}"
  elif [[ $2 =~ ^\[=+\]\ Running\ ([0-9]+)\ test ]]; then
    left[$1]=${BASH_REMATCH[1]}
  elif [[ $2 == 'Test timeout computed to be:'* ]]; then
    said[$1]=''
  else
    said[$1]+=$2$'\n'
  fi
}

# The end of a process of cases: it may have come too early.
end_batch() { # NUMBER TEST HOW
  local missing=${left[$1]} here=${running[$1]:-}
  if [[ -n $here ]]; then
    fail "$here" "${said[$1]:-}$2 ended within it: $3"
    missing=$((missing - 1))
  elif [[ $3 == *'***'* && $3 != *'***Skipped'* && -z ${bad[$1]:-} ]]; then
    fail "$2" "${said[$1]:-}it ended after its cases: $3"
  fi
  ((missing <= 0)) || fail "$2: $missing cases" "they were not run, because it ended: $3"
}

end_test() { # NUMBER TEST HOW
  if [[ -n ${left[$1]:-} ]]; then
    end_batch "$@"
  elif [[ $3 == *Passed* ]]; then
    passed=$((passed + 1))
  elif [[ $3 == *Skipped* || $3 == *Disabled* ]]; then
    skip "$2" "${said[$1]:-disabled}"
  else
    fail "$2" "${said[$1]:-}$3"
  fi
  unset "running[$1]" "said[$1]" "left[$1]" "bad[$1]"
}

wrote='^([0-9]+): (.*)$'
ended='^ *([0-9]+/[0-9]+) Test +#([0-9]+): ([^ ]+) \.*(.*)$'
while IFS= read -r line || [[ -n $line ]]; do
  if [[ $line =~ $wrote ]]; then
    hear "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
  elif [[ $line =~ $ended ]]; then
    tests=${BASH_REMATCH[1]/\// of }
    end_test "${BASH_REMATCH[@]:2:3}"
  else
    unread+=$line$'\n'
  fi
  progress
done

clear_line
[[ -n $tests ]] || printf '%s' "$unread" # ctest did not get as far as a test
if [[ ${#failed[@]} != 0 ]]; then
  printf 'Failed:\n'
  printf '  %s\n' "${failed[@]}"
fi
printf '[%3ds] %d passed, %d failed\n' "$SECONDS" "$passed" "${#failed[@]}"
((skipped == 0)) || printf '       %d skipped; the reasons: %s\n' "$skipped" \
  "${dir#"$PWD"/}/skipped-$name.log"
complete=yes
