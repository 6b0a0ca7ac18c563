#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# symbols.sh LIBRARY... - a shared library shows what it is to show and nothing else. The core
# shows its API and, in a node of its own, what engines use of src/base and src/engines/kit.
# The library of an engine shows one function.
set -euo pipefail

api=' ([a-z ]+ for )?holdfast::v0::.*@@HOLDFAST_[0-9.]+$'
for_engines=' ([a-z ]+ for )?holdfast::(base|kit)::.*@@HOLDFAST_PRIVATE_[0-9.]+$'

bad=0
for library in "$@"; do
  part=${library##*/libholdfast-}
  part=${part%%.so*}
  shown=$(nm -DC --defined-only "$library" | grep -v ' A HOLDFAST_' || true)
  if [[ $part == core ]]; then
    wanted='holdfast::v0::Client::open' allowed="$api|$for_engines"
  else
    wanted=" T holdfast_${part}_engine_v0@@HOLDFAST_PRIVATE_[0-9.]+$" allowed=$wanted
  fi
  grep -qE "$wanted" <<<"$shown" || { echo "$library: not there: $wanted" && bad=1; }
  if grep -vE "$allowed" <<<"$shown"; then
    echo "$library: the lines above should be hidden" && bad=1
  fi
done
exit "$bad"
