#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# rule_can_fail.sh RULE DIR - scripts/check_RULE.sh passes a small good tree and finds
# each of the mistakes below, made in it one at a time.
set -euo pipefail
rule=$1 dir=$2
check=$(dirname "$0")/../../scripts/check_$rule.sh

good_tree() {
  rm -rf "$dir"
  mkdir -p "$dir"/{include/holdfast/engine,src/{base,core,primitives,engines/{kit,local,redis}}} \
    "$dir"/{tools,demo,shop,examples,bench,tests/toy,docs/decisions}
  echo '#include "holdfast/engine/session.h"' >"$dir/src/engines/kit/loop.h"
  echo '#include "engines/kit/loop.h"' >"$dir/src/engines/local/engine.cc"
  echo '#include "engines/local/engine.h"' >"$dir/src/core/engine_table.cc"
  echo '#include "core/client_state.h"' >"$dir/src/primitives/mutex.cc"
  echo '#include <string_view>' >"$dir/include/holdfast/mutex.h"
  printf '// Waits for a ring.\nclass HubState;\nvoid backstage();\n' >"$dir/src/base/signal.h"
  printf '// SPDX-License-Identifier: Apache-2.0\n\n#include <holdfast/mutex.h>\n' >"$dir/examples/lock.cc"
  echo 'class Engine;' >"$dir/tests/toy/engine.h"
  mkdir "$dir"/src/engines/{local/memory,redis/transport}
  for room in engine session resource listing; do
    echo 'class Room;' | tee "$dir"/src/engines/{local,redis}/$room.h >/dev/null
  done
  find "$dir/include" "$dir/src" "$dir/tests" -type f -exec sed -i '1i // SPDX-License-Identifier: Apache-2.0\n' {} +
  echo '[names](docs/names.md), [web](https://example.org)' >"$dir/README.md"
  echo '[名字](docs/names.md), [web](https://example.org)' >"$dir/README.zh.md"
  echo '[names](names.md), [one](decisions/0001-one.md), [words](decisions/0031-one-vocabulary.md)' \
    >"$dir/docs/README.md"
  printf '%s\n\n' '# 1. One' '2026-01-31 · in force' '**Context.** Why.' '**Decision.** So.' \
    '**Consequences.** Then.' >"$dir/docs/decisions/0001-one.md"
  printf '%s\n\n' '# 31. Words' '2026-01-31 · in force' '**Context.** Why.' '**Decision.** So.' \
    $'| retired | word |\n|---|---|\n| `Hub`, `Waits`, `stage`, `nobody` | `State` |' '**Consequences.** Then.' \
    >"$dir/docs/decisions/0031-one-vocabulary.md"
  echo '# Names' >"$dir/docs/names.md"
}

# mistake FILE LINE
mistake() {
  good_tree
  "$check" "$dir" >/dev/null || { echo "the good tree is refused" && exit 1; }
  echo "$2" >>"$dir/$1"
  if "$check" "$dir" >/dev/null 2>&1; then
    echo "not found: $2 in $1"
    exit 1
  fi
}

case $rule in
  layers)
    mistake src/base/clock.cc '#include "core/client_state.h"'
    mistake src/core/client_state.cc '#include "primitives/impl.h"'
    mistake src/core/client_state.cc '#include "engines/local/engine.h"'
    mistake src/core/engine_table.cc '#include "engines/local/layout.h"'
    mistake src/core/client_state.cc '#include "client_state.h"'
    mistake src/core/client_state.cc '#include "../base/ids.h"'
    mistake src/primitives/mutex.cc '#include "engines/local/engine.h"'
    mistake src/engines/local/engine.cc '#include "core/client_state.h"'
    mistake src/engines/local/engine.cc '#include "engines/redis/engine.h"'
    mistake src/engines/kit/loop.h '#include "engines/local/engine.h"'
    mistake src/engines/kit/loop.h '#include "core/client_state.h"'
    mistake src/core/engine_table.cc '#include "engines/kit/loop.h"'
    mistake src/engines/local/engine.cc '#include "holdfast/mutex.h"'
    mistake src/engines/local/engine.cc '  #  include <holdfast/client.h>'
    mistake include/holdfast/mutex.h '#include "base/ids.h"'
    mistake include/holdfast/mutex.h '#include <sys/mman.h>'
    mistake tools/main.cc '#include "core/client_state.h"'
    mistake demo/sale.cc '#include "../src/core/client_state.h"'
    mistake shop/sale.cc '#include "core/client_state.h"'
    mistake examples/lock.cc '#include "demo/demo.h"'
    mistake bench/bench.cc '#include "engines/local/engine.h"'
    for missing in listing.h transport; do
      good_tree
      rm -r "$dir/src/engines/redis/$missing"
      ! "$check" "$dir" >/dev/null 2>&1 || { echo "an engine without $missing passes" && exit 1; }
    done
    ;;
  docs)
    mistake README.md '[gone](docs/gone.md)'
    mistake docs/names.md '[gone](gone.md#part)'
    mistake docs/orphan.md '# Nobody leads here'
    mistake README.md '## A heading that the translation lacks'
    mistake README.zh.md '| a row too many |'
    mistake docs/decisions/0001-one.md '**Decision.** And so.'
    mistake README.md $'```sh\nls  # and code\n```'
    ;;
  words)
    mistake src/base/clock.cc 'class Hub;'
    mistake bench/bench.cc '// The Hub knows all sessions.'
    mistake tests/mutex_test.cc 'Waits waits;'
    mistake tests/mutex_test.cc '// Two wait, and nobody holds it.'
    mistake tests/mutex_test.cc 'EXPECT_FALSE(hold) << "nobody holds it";'
    mistake tools/main.cc 'int stage = 0;'
    mistake tools/main.cc 'bool next_stage_is_due();'
    mistake tools/main.cc 'class StageTimer;'
    mistake tools/main.cc 'constexpr int kLastStage = 3;'
    mistake src/engines/redis/drop.lua 'local stage = 1 -- the first'
    mistake tools/last_stage.cc 'int main() {}'
    ;;
  paths)
    for folder in work home root; do
      mistake docs/names.md "see /$folder/me/notes"
      mistake tools/main.cc "\"/$folder/me\""
    done
    ;;
  spdx)
    mistake tools/main.cc 'int main() {}'
    mistake demo/sale.h '// SPDX-License-Identifier: MIT'
    mistake examples/CMakeLists.txt '// SPDX-License-Identifier: Apache-2.0'
    mistake dev '#!/bin/sh'
    mistake src/engines/redis/drop.lua '// SPDX-License-Identifier: Apache-2.0'
    mistake src/engines/redis/wire.proto 'syntax = "proto3";'
    mistake tools/Peer.java 'package holdfast;'
    mistake tools/peer.go '# SPDX-License-Identifier: Apache-2.0'
    mistake shop/page.html '<!doctype html>'
    mistake demo/recipe.py 'import os'
    mistake examples/app.conf.in 'ttl = 30s'
    mistake tests/pom.xml '<?xml version="1.0"?>'
    ;;
  limits)
    mistake src/base/clock.cc "// TO""DO: read another clock."
    mistake tests/toy/engine.h "$(yes 'int line;' | head -n 401)"
    good_tree
    rm "$dir/tests/toy/engine.h"
    ! "$check" "$dir" >/dev/null 2>&1 || { echo "a tree without the toy engine passes" && exit 1; }
    commit_as() {
      git -C "$dir" -c user.name=test -c user.email=test@example.org \
        commit -q --allow-empty -m "$1"
    }
    good_tree
    git init -q "$dir"
    commit_as "$(printf 'x%.0s' {1..72})"
    "$check" "$dir" >/dev/null || { echo "a subject of 72 characters is refused" && exit 1; }
    commit_as "$(printf 'x%.0s' {1..73})"
    ! "$check" "$dir" >/dev/null 2>&1 || { echo "a subject of 73 characters passes" && exit 1; }
    ;;
  header_weight)
    mistake include/holdfast/mutex.h '#include <bits/stdc++.h>'
    ;;
esac
