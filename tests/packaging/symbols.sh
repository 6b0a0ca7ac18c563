#!/usr/bin/env bash
# symbols.sh LIBRARY - the shared library shows its API and nothing of its inside: of the
# namespaces, which are lower case as types are not, `engine` and `detail` alone.
set -euo pipefail

shown=$(nm -DC --defined-only "$1")
grep -q 'holdfast::Client::open' <<<"$shown" || { echo "the API is not there" && exit 1; }
if grep -E ' [[:alpha:]] ([a-z ]+ for )?holdfast::[a-z_]+::' <<<"$shown" |
  grep -vE ' ([a-z ]+ for )?holdfast::(engine|detail)::'; then
  echo "the lines above should be hidden"
  exit 1
fi
