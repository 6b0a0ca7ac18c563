#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# check_docs.sh [ROOT] - every relative link in a Markdown file leads somewhere,
# docs/README.md leads to every page of docs/, README.zh.md is in step with README.md, and
# every decision has the form that the first of them describes.
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
  if grep -nE '^\*{3}[^*[:space:]]' "$page" /dev/null; then
    echo "$page: a line begins with three asterisks, one of which will be shown"
    bad=1
  fi
done < <(find . -path ./build -prune -o -path ./.git -prune -o -name '*.md' -print | sort)

index=$(links docs/README.md)
while IFS= read -r page; do
  if ! grep -qxF "$page" <<<"$index"; then
    echo "docs/README.md: does not lead to $page"
    bad=1
  fi
done < <(cd docs && find . -name '*.md' ! -path ./README.md | sed 's|^\./||' | sort)

# What a translation has in common with its original: the levels of its headings, its links,
# the rows of its tables, and its code without comments.
skeleton() {
  awk '
    /^```/ { code = !code; print; next }
    code { sub(/ *(#|\/\/) .*$/, ""); print; next }
    /^#+ / { print $1 }
    /^\|/ { print "| row" }
    { line = $0
      while (match(line, /\]\([^) ]+\)/)) {
        link = substr(line, RSTART, RLENGTH)
        if (link !~ /README(\.zh)?\.md\)$/) found[link] = 1
        line = substr(line, RSTART + RLENGTH)
      } }
    END { for (link in found) print link | "sort" }' "$1"
}
if [[ -e README.zh.md ]] && ! diff <(skeleton README.md) <(skeleton README.zh.md); then
  echo "README.zh.md: is not in step with README.md (< is missing there, > is left over)"
  bad=1
fi

# A title, the day and the status, then what was asked, what was decided and what follows.
decided='^[0-9]{4}-[0-9]{2}-[0-9]{2} · (in force|replaced by \[.*)$'
while IFS= read -r page; do
  parts=$(sed -nE 's/^\*\*(Context|Decision|Consequences)\.\*\*.*/\1/p' "$page" | paste -sd ' ')
  if ! sed -n 3p "$page" | grep -qE "$decided" || [[ $parts != 'Context Decision Consequences' ]]; then
    echo "$page: is not of the form that decision 1 describes"
    bad=1
  fi
done < <(find docs/decisions -name '*.md' 2>/dev/null | sort)
exit "$bad"
