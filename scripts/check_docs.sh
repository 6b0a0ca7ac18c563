#!/usr/bin/env bash
# check_docs.sh [ROOT] - every relative link in a Markdown file leads somewhere, and
# docs/README.md leads to every page of docs/.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

# Prints the targets of the links in a file, without code blocks.
links() {
  awk '/^ *```/ { code = !code } !code' "$1" | sed 's/`[^`]*`//g' |
    grep -oE '\]\([^) ]+\)' | sed -E 's/^\]\((.*)\)$/\1/; s/#.*$//' | sort -u || true
}

bad=0
while IFS= read -r page; do
  while IFS= read -r link; do
    case $link in '' | *://* | mailto:*) continue ;; esac
    if [[ ! -e $(dirname "$page")/$link ]]; then
      echo "$page: there is no $link"
      bad=1
    fi
  done < <(links "$page")
done < <(find . -path ./build -prune -o -path ./.git -prune -o -name '*.md' -print | sort)

index=$(links docs/README.md)
while IFS= read -r page; do
  if ! grep -qxF "$page" <<<"$index"; then
    echo "docs/README.md: does not lead to $page"
    bad=1
  fi
done < <(cd docs && find . -name '*.md' ! -path ./README.md | sed 's|^\./||' | sort)
exit "$bad"
