#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# check_paths.sh [ROOT] - no file names a folder that only one machine has.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

# The brackets keep this file from finding itself.
if grep -rnIE '(^|[^[:alnum:]_.$}/-])/([w]ork|[h]ome|[r]oot)/' . \
  --exclude-dir=.git --exclude=.git --exclude-dir=build; then
  echo "check_paths: the lines above name a folder of one machine" >&2
  exit 1
fi
