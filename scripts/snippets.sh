#!/usr/bin/env bash
# snippets.sh PAGE - the C++ blocks of a page, each as a function: what a page shows has
# to compile.
set -euo pipefail

cat <<'END'
#include <holdfast/holdfast.h>

#include <iostream>
#include <mutex>
#include <shared_mutex>

using namespace std::chrono_literals;

END
awk -v page="$(basename "$1")" '
  /^```/ && inside { inside = 0; print "}\n"; next }
  /^```cpp$/ {
    inside = 1
    print "// " page ":" NR "\nvoid snippet_" NR "(holdfast::Client client);"
    print "void snippet_" NR "([[maybe_unused]] holdfast::Client client) {"
    next
  }
  inside' "$1"
