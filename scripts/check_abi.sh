#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# check_abi.sh [--update] LIBRARY [HEADERS [BASELINE]] - compares the ABI of a shared library
# with the one that the tree keeps, packaging/core.abi, or writes that file anew.
#
# The ABI is what programs that were compiled against HEADERS depend on: the symbols of the
# API, the layout and the virtual functions of its classes, the values of its enums. abidw
# reads it from the debug information, so LIBRARY is one of the dev build. Its XML has
# megabytes, most of it about the standard library; here it becomes one line for each fact
# about holdfast::v0, which a reader of a change can judge.
set -euo pipefail

update=
if [[ ${1:-} == --update ]]; then update=yes && shift; fi
root=$(dirname "$0")/..
library=$1 headers=${2:-$root/include} baseline=${3:-$root/packaging/core.abi}

skip() {
  echo "check_abi: skipped: $1"
  exit 77
}
[[ $(uname -m) == x86_64 ]] || skip "the kept ABI is that of x86-64"
command -v abidw >/dev/null || skip "there is no abidw here; install abigail-tools"
readelf -SW "$library" | grep -q '\.debug_info' || skip "$library has no debug information"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for what in function variable; do
  printf '[suppress_%s]\n symbol_version_regexp = .*_PRIVATE_.*\n drop = yes\n' "$what"
done >"$work/private"
abidw --exported-interfaces-only --load-all-types --drop-private-types \
  --headers-dir "$headers" --suppressions "$work/private" --no-show-locs \
  --out-file "$work/xml" "$library"

# One element is one line of the XML. A type may be named before it is described, so the facts
# are collected first. Of the templates one instance stands for all, since the others come
# and go with the code that uses them.
facts() {
  awk '
    function value(key) { # of an attribute of this element
      if (!match($0, " " key "=\x27[^\x27]*\x27")) return ""
      return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 4)
    }
    function scope(   i, path) {
      path = part[1]
      for (i = 2; i <= depth; i++) path = path "::" part[i]
      return path
    }
    function say(fact, type) {
      about[++facts] = scope()
      said[facts] = fact
      of_type[facts] = type
    }
    function wrap(left, right) { # a type that is made of another
      inner[value("id")] = value("type-id")
      before[value("id")] = left
      after[value("id")] = right
    }
    function spell(type) {
      if (type in name) return name[type]
      return type in inner ? before[type] spell(inner[type]) after[type] : type
    }
    /<elf-symbol / && value("version") !~ /_PRIVATE_/ { exported[value("name")] = 1 }
    /<(namespace|class|union|enum)-decl / {
      part[++depth] = value("name")
      name[value("id")] = scope()
      if (/size-in-bits/) say("has " value("size-in-bits") / 8 " bytes")
      if (/\/>$/) depth--
    }
    /<\/(namespace|class|union|enum)-decl>/ { depth-- }
    /<(typedef|type)-decl / { name[value("id")] = (depth ? scope() "::" : "") value("name") }
    /<pointer-type-def /    { wrap("", "*") }
    /<reference-type-def /  { wrap("", value("kind") == "rvalue" ? "&amp;&amp;" : "&amp;") }
    /<qualified-type-def /  { wrap(value("const") ? "const " : "", "") }
    /<array-type-def /      { wrap("", "[" value("size-in-bits") / 8 " bytes]") }
    /<base-class /  { say("+" value("layout-offset-in-bits") / 8 " base", value("type-id")) }
    /<data-member / { offset = value("layout-offset-in-bits") } # none: it is static
    /<var-decl / && offset != "" {
      say("+" offset / 8 " " value("name"), value("type-id"))
      offset = ""
    }
    /<member-function / { slot = value("vtable-offset") }
    /<function-decl / {
      called = value("mangled-name")
      if (slot != "") say("virtual " slot " " called)
      slot = ""
    }
    /<return / && called { result[called] = value("type-id") }
    /<\/function-decl>/  { called = "" } # A function type has a <return>, too.
    /<underlying-type / { say("is", value("type-id")) }
    /<enumerator /      { say(value("name") " = " value("value")) }
    END {
      for (symbol in exported) {
        type = symbol in result ? spell(result[symbol]) : "void"
        print "exports", symbol (type == "void" ? "" : " -> " type)
      }
      for (i = 1; i <= facts; i++)
        print about[i], said[i] (of_type[i] == "" ? "" : ": " spell(of_type[i]))
    }' "$1" | sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' | c++filt |
    grep -E '^(exports|holdfast::v0::(Result<bool>|[^< ]+)) ' | LC_ALL=C sort -u
}
facts "$work/xml" >"$work/abi"

if [[ -n $update ]]; then
  cp "$work/abi" "$baseline"
elif ! diff -U0 "$baseline" "$work/abi" >"$work/diff"; then
  grep '^[-+][^-+]' "$work/diff"
  echo "check_abi: the ABI of ${library##*/} is not the kept one (lines above: - before, + now); \
if that is meant, run ./dev abi --update and commit the file; a line with - breaks programs \
that are already built, so it needs a new minor version"
  exit 1
fi
