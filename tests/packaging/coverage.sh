#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# coverage.sh SCRIPT DIR - scripts/coverage.sh counts the lines of src/ that have run, and
# none of a test or of the standard library.
set -euo pipefail
script=$1 dir=$2
for tool in g++ lcov; do
  command -v "$tool" >/dev/null || { echo "there is no $tool here" && exit 77; }
done

rm -rf "$dir"
mkdir -p "$dir"/{src/core,tests,build}
cat >"$dir/src/core/half.cc" <<'END'
int half(int number) {
  if (number % 2 == 0) return number / 2;
  number += 1;
  return number / 2;
}
END
cat >"$dir/tests/half_test.cc" <<'END'
#include <string>
int half(int);
int main() { return half(4) == static_cast<int>(std::string("ab").size()) ? 0 : 1; }
END
cd "$dir/build"
g++ --coverage -O0 -o half_test "$dir/src/core/half.cc" "$dir/tests/half_test.cc"
./half_test

# The signature and the first line have run, the two that follow have not.
"$script" "$dir/build" "$dir" >said
diff said - <<'END'
src/core                          2 of      4 lines   50.0 %
all                               2 of      4 lines   50.0 %
END
[[ -e report/index.html ]]
