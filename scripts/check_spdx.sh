#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# check_spdx.sh [--add] [ROOT] - each source file says its licence, in its first line or
# after the `#!`, the `<!doctype>` or the `<?xml>`. With --add, it writes the line where it is
# missing.
set -euo pipefail
add=
if [[ ${1:-} == --add ]]; then add=yes && shift; fi
cd "${1:-$(dirname "$0")/..}"

places=(.ci CMakeLists.txt bench cmake demo dev examples include packaging scripts shop src tests
  tools)
licence='SPDX-License-Identifier: Apache-2.0'

sources() {
  local there=() place
  for place in "${places[@]}"; do [[ ! -e $place ]] || there+=("$place"); done
  find "${there[@]}" -type f -regextype posix-extended \
    \( -regex '.*\.(h|cc|sh|cmake|lua|proto|java|go|py|html|js|css|in|xml|jmx|yaml|supp|mod)' \
    -o -name CMakeLists.txt -o -name rules -o -path dev -o -path '.ci/*' \) | sort
}

# The line, as a comment of FILE.
line_for() {
  case $1 in
    *.h | *.cc | *.proto | *.java | *.go | *.js | *.mod) echo "// $licence" ;;
    *.lua) echo "-- $licence" ;;
    *.css | *.map.in) echo "/* $licence */" ;;
    *.html | *.xml | *.jmx) echo "<!-- $licence -->" ;;
    *) echo "# $licence" ;;
  esac
}

# Before what the file says of itself, with an empty line between the two.
write_line() { # FILE LINE
  case $(head -n1 "$1") in
    '#!'*) sed -i "1a\\$2\n#" "$1" ;;
    '<!doctype'* | '<?xml'*) sed -i "1a\\$2" "$1" ;;
    '') sed -i "1i\\$2" "$1" ;;
    *) sed -i "1i\\$2\n" "$1" ;;
  esac
}

bad=0
while IFS= read -r file; do
  line=$(line_for "$file")
  ! head -n2 "$file" | grep -qxFe "$line" || continue
  if [[ $add ]]; then
    write_line "$file" "$line"
  else
    echo "$file: does not say '$line'; scripts/check_spdx.sh --add writes it"
    bad=1
  fi
done < <(sources)
exit "$bad"
