#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# needs.sh PROGRAM WANTED UNWANTED - the libraries that PROGRAM is linked with, directly or not,
# match the regular expression WANTED and not the other.
set -euo pipefail

libraries=$(ldd "$1")
echo "$libraries"
grep -qE "$2" <<<"$libraries"
! grep -qE "$3" <<<"$libraries"
