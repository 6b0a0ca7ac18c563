#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# snippets.sh PAGE... - the C++ blocks of pages, each as a function: what a page shows has
# to compile. A block that starts with the name of its file (`// sell.cc`) is a whole
# program: tests/docs/walk.sh compiles and runs those. A block may use a `client`, a `mutex`
# and what examples/banner_scenery.h declares.
set -euo pipefail

cat <<'END'
#include "banner_scenery.h"

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
      given = "([[maybe_unused]] holdfast::Client client, [[maybe_unused]] holdfast::Mutex& mutex)"
      print "// " page ":" begin "\nvoid " name given ";\nvoid " name given " {{\n" body "}}\n"
    }
    inside = 0
    next
  }
  /^```cpp$/ { inside = 1; begin = FNR; body = ""; next }
  inside { body = body $0 "\n" }' "$@"
