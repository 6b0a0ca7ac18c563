#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# walk.sh PREFIX ENGINE [PAGE...] - walks pages as a reader does: types every command
# that they show and compares what comes out, with the program and library installed in
# PREFIX, on the engine that HOLDFAST_URL names.
#
#   ```sh        every command has to succeed
#   ``` with $   a session: where output is shown, it has to come; otherwise the command
#                has to succeed. A line `...` stands for any lines, and at
#                the end of a line for the rest of it
#   # NAME.EXT   a block that starts so (or with //) is saved as that file
#
# A page is walked in one shell and one folder; what a block leaves running ends with it.
# Numbers that nobody can foresee (tokens, pids, times) are not compared.
set -euo pipefail
# shellcheck source=SCRIPTDIR/exceptions.sh
. "$(dirname "$0")/exceptions.sh"

prefix=$(realpath "$1") engine=$2
shift 2
root=$(realpath "$(dirname "$0")/../..")
patience=$((10 * ${HOLDFAST_TEST_SCALE:-1}))
if [[ $# == 0 ]]; then
  set -- README.md docs/first-ten-minutes.md docs/recipes.md docs/cli.md
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints PAGE's blocks, each line as LINE-NUMBER KIND TEXT. KIND: sh, session, the name of a
# file, or - for what is only to be read.
blocks() { # PAGE
  awk '
    /^ *```/ && inside { inside = 0; next }
    /^ *```/ { inside = 1; fresh = 1; language = $0; sub(/^ *```/, "", language); next }
    inside && fresh && /^#!/ { shebang = $0; next }
    inside && fresh {
      fresh = 0
      kind = "-"
      if (language == "sh") kind = "sh"
      if (language ~ /^(console)?$/ && /^\$ /) kind = "session"
      if (language != "" && match($0, /^(#|\/\/) [A-Za-z0-9_.\/-]+\.[a-z]+$/)) kind = $2
      begin = NR
      if (shebang != "") print begin "\t" kind "\t" shebang
      shebang = ""
    }
    inside { print begin "\t" kind "\t" $0 }' "$1"
}

# Is this all of a command, or does another line belong to it?
complete() { [[ -z $(bash -n <<<"$1" 2>&1) && $1 != *\\ ]]; }

# What no page can foresee, and what differs from host to host. A shell says that a job of it
# was killed whenever it notices.
normalise() {
  sed -E "/walk\.sh: line [0-9]+: +[0-9]+ (Killed|Terminated) /d
    s/\b$(hostname)\b/HOST/g; s/\bweb-07\b/HOST/g
    s/[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:]{8}Z/TIME/g
    s/,? since TIME \([^()]* ago\)\$//; s/ +Lease: .* left\$//
    s/\([^()]* ago\)/(AGO)/g; s/\bfor [0-9a-z. ]+ \(token/for AGO (token/g
    s/\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b[0-9a-f]{8}-\.\.\./UUID/g
    s/pid [0-9]+/pid N/g; s/\"pid\":[0-9]+/\"pid\":N/g
    s/(Token +: |[Tt]oken[ :\"]+)[0-9]+/\1N/g; s/\b[0-9]{5,}\b/N/g
    s/[ \t]+/ /g; s/ +\$//"
}

# matches EXPECTED ACTUAL
matches() {
  local line pattern='' expected actual
  expected=$(normalise <<<"$1") actual=$(normalise <<<"$2")
  while IFS= read -r line; do
    if [[ $line == *( )... ]]; then
      pattern+='*'
    else
      pattern+=$(sed 's/[][*?\\]/\\&/g; s/\.\.\.$/*/' <<<"$line")$'\n'
    fi
  done <<<"$expected"
  # shellcheck disable=SC2053 # the pattern is one
  [[ $actual$'\n' == $pattern ]]
}

# How the list of exceptions wants this command; nothing: it is not listed.
exception() { # PAGE COMMAND
  local each page command where how
  for each in "${exceptions[@]}"; do
    IFS='|' read -r page command where how _ <<<"$each"
    # shellcheck disable=SC2053 # these are patterns
    if [[ $1 == $page && $2 == $command && $engine == $where ]]; then
      echo "$each" >>"$work/used"
      echo "$how"
      return
    fi
  done
}

complain() { # WHERE COMMAND WHAT EXPECTED ACTUAL
  printf '%s: %s\n    $ %s\n' "$1" "$3" "$2"
  [[ -z $4 ]] || printf '  shown: %s\n' "${4//$'\n'/$'\n'  shown: }"
  printf '  came : %s\n' "${5//$'\n'/$'\n'  came : }"
  : >"$work/failed"
}

# Commands that only look are asked again until what was started has got there.
only_looks() { [[ $1 =~ ^holdfast\ (ls|show|elect\ [a-z]+$|counter\ .*\ get|latch\ .*\ count) ]]; }

in_background() { [[ $1 =~ \&( +#.*)?$ ]]; }

# Types one command in this shell. Sets `status`; its output is in $work/out.$typed, since
# what runs in the background goes on writing to its own.
type_it() { # COMMAND
  local pause=0
  ! in_background "$1" || pause=60
  export HOLDFAST_WALK_PAUSE=$pause
  typed=$((typed + 1))
  set +eu
  (exit "$status")
  eval "$1" >"$work/out.$typed" 2>&1 </dev/null
  status=$?
  set -eu
}

step() { # PAGE LINE COMMAND EXPECTED
  local how deadline=$((SECONDS + patience)) actual wanted=0
  how=$(exception "$1" "$3")
  case $how in
    skip) return ;;
    if\ *) if ! eval "${how#if }" >/dev/null 2>&1; then return; fi ;;
    [0-9]*) wanted=$how ;;
  esac
  echo "  \$ $3"
  while :; do
    type_it "$3"
    if in_background "$3"; then return; fi
    actual=$(<"$work/out.$typed")
    if [[ -z $4 || $how == quiet ]]; then
      [[ $status == "$wanted" || $how == quiet ]] && return
    elif matches "$4" "$actual"; then
      return
    fi
    if ! only_looks "$3" || ((SECONDS >= deadline)); then break; fi
    sleep 0.1
  done
  complain "$1:$2 on $engine" "$3" "exit status $status" "$4" "$actual"
}

walk_sh() { # PAGE LINE TEXT
  local command='' line number=$2
  while IFS= read -r line; do
    command+=${command:+$'\n'}$line
    number=$((number + 1))
    if complete "$command"; then
      [[ $command =~ ^[[:space:]]*(#|$) ]] || step "$1" $((number - 1)) "$command" ''
      command=''
    fi
  done <<<"$3"
  [[ -z $command ]] || complain "$1:$2" "$command" "is not a whole command" '' ''
}

walk_session() { # PAGE LINE TEXT
  local command='' expected='' line number=$2 begin=$2
  while IFS= read -r line; do
    if [[ $line == '$ '* ]]; then
      [[ -z $command ]] || step "$1" "$begin" "$command" "$expected"
      command=${line#\$ } expected='' begin=$number
    elif ! complete "$command"; then
      command+=$'\n'${line#> }
    elif [[ -n $line ]]; then
      expected+=${expected:+$'\n'}$line
    fi
    number=$((number + 1))
  done <<<"$3"
  step "$1" "$begin" "$command" "$expected"
}

# Every ./script.sh that a page names and does not show.
stand_in() { # TEXT
  local script
  for script in $(grep -oE "(^|[ \"'])\./[a-z-]+\.sh" <<<"$1" | tr -d " \"'"); do
    [[ -e $script ]] || printf '#!/bin/sh\nexec sleep "$HOLDFAST_WALK_PAUSE"\n' >"$script"
    chmod +x "$script"
  done
}

end_jobs() {
  local pids
  mapfile -t pids < <(jobs -p)
  [[ ${#pids[@]} == 0 ]] || kill "${pids[@]}" 2>/dev/null || true
  wait
}

walk_block() { # PAGE LINE KIND TEXT
  case $3 in
    -) ;;
    sh) walk_sh "$1" "$2" "$4" ;;
    session) walk_session "$1" "$2" "$4" ;;
    *) mkdir -p "$(dirname "$3")" && printf '%s\n' "$4" >"$3" && check_file "$1:$2" "$3" ;;
  esac
  end_jobs
}

check_file() { # WHERE FILE
  case $2 in
    *.sh) chmod +x "$2" ;;
    *.yaml)
      if python3 -c 'import yaml' 2>/dev/null; then
        python3 -c 'import sys, yaml; list(yaml.safe_load_all(open(sys.argv[1])))' "$2" \
          >"$work/yaml" 2>&1 || complain "$1" "cat $2" "is not YAML" '' "$(<"$work/yaml")"
      fi
      ;;
  esac
}

walk() { # PAGE
  local number kind line begin='' what='' text='' status=0 typed=0
  mkdir "$work/folder" && cd "$work/folder"
  blocks "$(cd "$root" && realpath "$1")" >"$work/blocks"
  stand_in "$(cut -f3- "$work/blocks")"
  while IFS= read -r line; do
    number=${line%%$'\t'*} line=${line#*$'\t'}
    kind=${line%%$'\t'*} line=${line#*$'\t'}
    if [[ $number != "$begin" ]]; then
      [[ -z $begin ]] || walk_block "$1" "$begin" "$what" "$text"
      begin=$number what=$kind text=$line
    else
      text+=$'\n'$line
    fi
  done <"$work/blocks"
  [[ -z $begin ]] || walk_block "$1" "$begin" "$what" "$text"
  cd / && rm -rf "$work/folder"
}

# An exception that nothing needs any more would hide the next mistake.
stale() {
  local each page command where how
  for each in "${exceptions[@]}"; do
    IFS='|' read -r page command where how _ <<<"$each"
    # shellcheck disable=SC2053
    [[ " $* " == *" $page "* && $engine == $where ]] || continue
    grep -qxF -- "$each" "$work/used" || echo "exceptions.sh: nothing needs '$each' on $engine"
  done
}

shopt -s extglob
: >"$work/used"
export PATH=$prefix/bin:$PATH LC_ALL=C.UTF-8
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name holdfast.pc)")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH LD_LIBRARY_PATH
unset HOLDFAST_LOCK_NAME HOLDFAST_TOKEN
for page in "$@"; do
  (walk "$page")
done
stale "$@" | tee "$work/stale"
[[ ! -e $work/failed && ! -s $work/stale ]] || exit 1
echo "walked on $engine: $*"
