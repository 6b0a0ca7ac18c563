#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# snippets.sh PAGE... - the C++ blocks of pages, each as a function: what a page shows has
# to compile. A block that starts with the name of its file (`// sell.cc`) is a whole
# program: tests/docs/walk.sh compiles and runs those.
set -euo pipefail

cat <<'END'
#include <holdfast/coroutine.h>
#include <holdfast/holdfast.h>

#include <iostream>
#include <mutex>
#include <shared_mutex>

using namespace std::chrono_literals;

END
awk '
  FNR == 1 {
    page = FILENAME
    sub(/.*\//, "", page)
    id = page
    gsub(/[^A-Za-z0-9]/, "_", id)
  }
  /^```/ && inside {
    if (body !~ /^\/\/ [a-z_]+\.cc\n/) {
      name = "snippet_" id "_" begin
      print "// " page ":" begin "\nvoid " name "(holdfast::Client client);"
      print "void " name "([[maybe_unused]] holdfast::Client client) {\n" body "}\n"
    }
    inside = 0
    next
  }
  /^```cpp$/ { inside = 1; begin = FNR; body = ""; next }
  inside { body = body $0 "\n" }' "$@"
