#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# lint.sh [--all] - format, shell scripts, layers, links, paths, licences, retired words,
# limits, header weight, clang-tidy.
#
# clang-tidy looks at what has changed since it last passed, and at no more than a few files
# at a time; with --all, at everything: see scripts/tidy.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
  --all | '') ;;
  *) echo "usage: lint.sh [--all]" >&2 && exit 64 ;;
esac

bad=0
step() { printf '[%3ds] %s\n' "$SECONDS" "$*"; }
check() { # WHAT COMMAND...
  step "$1"
  "${@:2}" || { bad=1 && echo "lint: $1: not clean" >&2; }
}

sources() { git ls-files -co --exclude-standard -- "$@" | sort -u | while read -r f; do
  [[ ! -e $f ]] || echo "$f"
done; }

mapfile -t cxx < <(sources '*.cc' '*.h')
mapfile -t shell < <(sources '*.sh' dev .ci/run)

format() {
  clang-format-14 --version | grep -q ' version 14\.' || { echo "lint: clang-format 14 is needed" >&2 && return 1; }
  local file bad=0
  # Not by --dry-run, which finds fault with every `}  // namespace holdfast::inline v0`.
  for file in "${cxx[@]}"; do
    clang-format-14 "$file" | cmp -s - "$file" || { echo "$file is not formatted" && bad=1; }
  done
  return "$bad"
}

tidy() {
  local dir=build/tidy
  mkdir -p build/log
  cmake --preset tidy >build/log/configure-tidy.log 2>&1 || { tail -n 40 build/log/configure-tidy.log && return 1; }
  if grep -q holdfast_etcd_messages "$dir/build.ninja"; then
    cmake --build "$dir" --target holdfast_etcd_messages >build/log/build-tidy.log
  fi
  scripts/tidy.sh "$@"
}

check "clang-format: ${#cxx[@]} files" format
check "shellcheck: ${#shell[@]} files" shellcheck "${shell[@]}"
check "layers" scripts/check_layers.sh
check "links" scripts/check_docs.sh
check "paths" scripts/check_paths.sh
check "licences" scripts/check_spdx.sh
check "retired words" scripts/check_words.sh
check "limits" scripts/check_limits.sh
check "weight of mutex.h" scripts/check_header_weight.sh
check "clang-tidy" tidy "$@"
[[ $bad == 0 ]] && step "lint: clean"
exit "$bad"
