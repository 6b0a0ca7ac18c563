#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# walk.sh [--files | --check] [ENGINE...] - what one lock call runs through, counted by
# callgrind.
#
# For a lock() that finds the lock free, its unlock(), a lock() that waits and is woken, and
# a hold that is ended from outside, it prints a table: how many files of src/ and include/
# run (headers count where code of theirs was inlined), how many of these are in src/core
# and in the engine, how many calls lead from one such file to another, and how many
# instructions run, ours and all. The first two phases count the calling thread alone, the
# others both sides and their threads. ENGINE is local, redis, zookeeper, etcd or mysql
# (default: local redis mysql). With --files, it lists the files instead. With --check, it
# fails if a lock() that finds the lock free is longer than it may be: more than 200
# instructions of ours on local, 35 files or 12 of src/core on redis and mysql.
#
# What is inlined depends on the flags: the preset `walk` fixes them.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

what=table check=
case ${1:-} in
  --files) what=files && shift ;;
  --check) check=--check && shift ;;
esac
engines=("$@")
[[ $# != 0 ]] || engines=(local redis mysql)

# The servers first: this script runs itself beside them.
if [[ -z ${HOLDFAST_MYSQL_URL:-} ]]; then
  [[ $what == table ]] || set -- --files "${engines[@]}"
  exec "$root/scripts/servers.sh" -- "$0" ${check:+"$check"} "$@"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOLDFAST_LOCAL_URL=local://$work/segment

# run ENGINE HOW OPTIONS...: leaves $work/ENGINE-HOW.N, one dump for each counted call.
run() {
  local engine=$1 how=$2 url=HOLDFAST_${1^^}_URL
  shift 2
  valgrind --tool=callgrind "$@" --compress-strings=no --compress-pos=no \
    --callgrind-out-file="$work/$engine-$how" "$root/build/walk/bin/holdfast_walk" "${!url}" \
    >"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }
}

# The dump to count for ENGINE PHASE. Of the short calls, which are made several times, the
# one with the fewest instructions: nothing came between. Of the long ones the last.
dump_of() {
  local request="desc: Trigger: Client Request: $2"
  case $2 in
    free | unlock)
      grep -lx "$request" "$work/$1-caller".* | xargs grep -H '^summary: ' | sort -t' ' -k2n |
        head -n1 | cut -d: -f1
      ;;
    *) grep -lx "$request" "$work/$1-all".* | sort -V | tail -n1 ;;
  esac
}

# count ENGINE PHASE: files, files in core, files in the engine, calls that cross a file,
# instructions of ours, all instructions. With what=files: the files.
count() {
  awk -v root="$root" -v engine="$1" -v what="$what" '
    # The path of a file of ours from the top of the tree; empty: it is not ours.
    function place(path,   at, line) {
      if (path in known) return known[path]
      at = ""
      if (match(path, /(src\/(base|core|primitives|engines)|include\/holdfast)\/[a-z0-9_\/]+\.(h|cc)$/))
        at = substr(path, RSTART)
      if (at != "" && (getline line < (root "/" at)) <= 0) at = ""
      return known[path] = at
    }
    function inside(file, folder) { return index(file, folder "/") == 1 }
    # A function begins with its own file; code that was inlined into it follows with fi=
    # and fe=. A callee in the same file is not named.
    /^fl=/ { caller = file = place(substr($0, 4)); next }
    /^f[ie]=/ { file = place(substr($0, 4)); next }
    /^cf[il]=/ { callee = place(substr($0, 5)); elsewhere = 1; next }
    /^calls=/ {
      if (elsewhere && caller != "" && callee != "" && caller != callee)
        crossing += substr($1, 7)
      elsewhere = 0
      getline # what the callee costs, which is counted there
      next
    }
    /^[0-9]/ {
      all += $2
      if (file == "") next
      ours += $2
      seen[file] = 1
    }
    END {
      for (file in seen) {
        if (what == "files") print file
        files++
        core += inside(file, "src/core")
        in_engine += inside(file, "src/engines/" engine)
      }
      if (what == "table") print files, core + 0, in_engine + 0, crossing + 0, ours + 0, all
    }' "$(dump_of "$@")"
}

for engine in "${engines[@]}"; do
  run "$engine" caller --separate-threads=yes # a dump is then of the thread that asks for it
  run "$engine" all
done

phases=(free unlock taken lost)
declare -A name=([free]='`lock()`, free' [unlock]='`unlock()`'
  [taken]='`lock()`, taken for 1.5 s, then woken' [lost]='hold ended from outside, until `lost()`')

if [[ $what == files ]]; then
  for phase in "${phases[@]}"; do
    for engine in "${engines[@]}"; do
      printf '\n%s, %s:\n' "${name[$phase]}" "$engine"
      count "$engine" "$phase" | sort | sed 's/^/  /'
    done
  done
  exit
fi

row() { printf '| %s ' "$@" && printf '|\n'; }

# is_short ENGINE FILES CORE INSTRUCTIONS
is_short() {
  case $1 in
    local) (($4 <= 200)) ;;
    redis | mysql) (($2 <= 35 && $3 <= 12)) ;;
  esac
}

long=()

row "" "" "${engines[@]}"
row '---' '---' "${engines[@]//*/---:}"
for phase in "${phases[@]}"; do
  files=() inner=() crossing=() instructions=()
  for engine in "${engines[@]}"; do
    read -r all core in_engine calls ours every < <(count "$engine" "$phase")
    files+=("$all") inner+=("$core / $in_engine") crossing+=("$calls")
    instructions+=("$ours / $every")
    [[ $phase != free ]] || is_short "$engine" "$all" "$core" "$ours" || long+=("$engine")
  done
  row "${name[$phase]}" 'files of ours' "${files[@]}"
  row '' 'in core / in the engine' "${inner[@]}"
  row '' 'calls that cross a file' "${crossing[@]}"
  row '' 'instructions, ours / all' "${instructions[@]}"
done

if [[ $check && ${#long[@]} != 0 ]]; then
  echo "walk: a free lock runs through more than it may on: ${long[*]}" >&2
  exit 1
fi
