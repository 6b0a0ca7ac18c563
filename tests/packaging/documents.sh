#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# documents.sh SHARE - manual pages and completions are installed where they are looked for.
set -euo pipefail
share=$1

for file in man/man1/holdfast.1 man/man1/holdfast-run.1 man/man1/holdfast-unlock.1 \
    bash-completion/completions/holdfast zsh/site-functions/_holdfast \
    fish/vendor_completions.d/holdfast.fish; do
  [[ -s $share/$file ]] || { echo "$share/$file is not there" >&2; exit 1; }
done
