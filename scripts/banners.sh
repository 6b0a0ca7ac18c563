#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# banners.sh HEADER... - the C++ that the first comment of each public header shows, each as
# a function: what a manual shows has to compile. The examples end where a list of sentences
# begins. What they are about, as `table` and `report`, is declared in
# examples/banner_scenery.h.
set -euo pipefail

cat <<'END'
#include "banner_scenery.h"

END
for header in "$@"; do
  name=$(basename "$header" .h)
  printf '// %s.h\nvoid banner_of_%s();\nvoid banner_of_%s() {\n' "$name" "$name" "$name"
  sed -n '/^#pragma once/q; /^\/\/   \* /q; s|^//   ||p' "$header"
  printf '}\n\n'
done
