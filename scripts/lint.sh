#!/usr/bin/env bash
# lint.sh [--all] - format, clang-tidy, shell scripts, layers, links, paths.
#
# clang-tidy looks at what differs from origin/main; on that branch itself, at the last
# few hours; with --all, at everything. Tests are left to the compilers' warnings and the
# sanitizers: half of what it says of them is about GoogleTest's macros.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
  --all) all=1 ;;
  '') all= ;;
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
  clang-format-14 --dry-run -Werror "${cxx[@]}"
}

# The .cc files to look at, one per line: those that changed, and one of those that
# include a header that changed.
changed() {
  local base changed file
  base=$(git merge-base HEAD origin/main 2>/dev/null) || true
  [[ $base != "$(git rev-parse HEAD)" ]] || base=$(git rev-list -1 --before='4 hours ago' HEAD)
  if [[ $all || -z $base ]]; then
    printf '%s\n' "${cxx[@]}"
    return
  fi
  changed=$(git diff --name-only "$base" -- && git ls-files -o --exclude-standard)
  grep '\.cc$' <<<"$changed" || true
  grep '\.h$' <<<"$changed" | sed -E 's,^(src|include)/,,' | while read -r file; do
    grep -lF "\"$file\"" -- "${cxx[@]}" | grep -m1 '^src.*\.cc$' || true
  done
}

tidy() {
  local dir=build/tidy files
  mkdir -p build/log
  cmake --preset tidy >build/log/configure-tidy.log 2>&1 || { tail -n 40 build/log/configure-tidy.log && return 1; }
  if grep -q holdfast_etcd_messages "$dir/build.ninja"; then
    cmake --build "$dir" --target holdfast_etcd_messages >build/log/build-tidy.log
  fi
  # Only what the build knows: a consumer project of a test has its own build.
  mapfile -t files < <(changed | grep -v '^tests/' | sort -u | while read -r f; do
    grep -qF "\"file\": \"$PWD/$f\"" "$dir/compile_commands.json" && echo "$f"
  done)
  step "clang-tidy: ${#files[@]} files"
  [[ ${#files[@]} == 0 ]] || printf '%s\0' "${files[@]}" |
    xargs -0 -n1 -P"$(nproc)" clang-tidy-14 -p "$dir" --quiet 2>build/log/tidy.log
}

check "clang-format: ${#cxx[@]} files" format
check "shellcheck: ${#shell[@]} files" shellcheck "${shell[@]}"
check "layers" scripts/check_layers.sh
check "links" scripts/check_docs.sh
check "paths" scripts/check_paths.sh
check "clang-tidy" tidy
[[ $bad == 0 ]] && step "lint: clean"
exit "$bad"
