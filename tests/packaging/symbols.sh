#!/usr/bin/env bash
# symbols.sh LIBRARY - the shared library shows its API and nothing of its inside.
set -euo pipefail

shown=$(nm -DC --defined-only "$1")
grep -q 'holdfast::Client::open' <<<"$shown" || { echo "the API is not there" && exit 1; }
if grep -E ' [TDBRV] (typeinfo (name )?for |vtable for )?holdfast::(base|core|local)::' <<<"$shown"; then
  echo "the lines above should be hidden"
  exit 1
fi
