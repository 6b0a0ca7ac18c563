#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# digest.sh DIGEST DIR - counts cases and not processes, keeps apart what two of them say
# at the same time, misses no case of a process that dies, and leaves a result whatever
# happens to its input or output.
set -euo pipefail
digest=$1 dir=$2

expect() { # TEXT FILE
  [[ $(<"$2") == *"$1"* ]] || { cat "$2" && echo "not found: $1" && exit 1; }
}

rm -rf "$dir"
mkdir -p "$dir"
"$digest" "$dir" some >"$dir/shown" <<'END'
1: Test command: /bin/one
1: Test timeout computed to be: 900
2: Test timeout computed to be: 900
1: [==========] Running 3 tests from 1 test suite.
2: [==========] Running 4 tests from 1 test suite.
1: [ RUN      ] One.Passes
2: [ RUN      ] Two.Fails/redis
1: [       OK ] One.Passes (1 ms)
1: [ RUN      ] One.IsSkipped
2: two.cc:5: Failure
1: one.cc:3: Skipped
1: there is no server
1: 
1: [  SKIPPED ] One.IsSkipped (0 ms)
1: [ RUN      ] One.IsLast
2: what it was
2: [  FAILED  ] Two.Fails/redis, where GetParam() = 7 (2 ms)
1: said without an end[       OK ] One.IsLast (1 ms)
2: [ RUN      ] Two.Dies/redis
2: its last words
1: [==========] 3 tests from 1 test suite ran. (3 ms total)
1: [  SKIPPED ] 1 test, listed below:
1: [  SKIPPED ] One.IsSkipped
1/6 Test #1: shards.one ............   Passed    0.25 sec
2/6 Test #2: shards.two ............***Exception: SegFault  0.25 sec
3: Test timeout computed to be: 900
3: a compiler's complaint
3/6 Test #3: packaging.three .......***Failed    0.10 sec
4/6 Test #4: packaging.four ........   Passed    0.10 sec
5: Test timeout computed to be: 900
5: [==========] Running 1 test from 1 test suite.
5: [ RUN      ] Five.Passes
5: [       OK ] Five.Passes (1 ms)
5: a leak
5/6 Test #5: shards.five ...........***Failed    0.10 sec
6: Test timeout computed to be: 900
6: [==========] Running 1 test from 1 test suite.
6: [ RUN      ] Six.IsSkippedAlone
6: six.cc:3: Skipped
6: it cannot
6: 
6: [  SKIPPED ] Six.IsSkippedAlone (0 ms)
6/6 Test #6: Six.IsSkippedAlone ....***Skipped   0.10 sec
END

# Failed: Two.Fails, Two.Dies, the two cases after it as one, three, and the leak of five.
expect '4 5 2' "$dir/result-some"
expect 'One.IsSkipped: there is no server' "$dir/skipped-some.log"
expect $'two.cc:5: Failure\nwhat it was\nFAILED: Two.Fails/redis' "$dir/shown"
for line in 'FAILED: Two.Dies/redis' 'its last words' 'shards.two: 2 cases' \
  "a compiler's complaint" 'FAILED: packaging.three' 'FAILED: shards.five' 'a leak' \
  '4 passed, 5 failed' '2 skipped; the reasons: '; do
  expect "$line" "$dir/shown"
done
[[ $(grep -c 'there is no server' "$dir/shown") == 0 ]]

# Nothing is a result, too.
echo 'No tests were found!!!' | "$digest" "$dir" none >"$dir/shown"
expect 'No tests were found' "$dir/shown"
expect '0 0 0' "$dir/result-none"

# Lines that were lost or cut: how many cases there are, the begin of a case, its name.
"$digest" "$dir" garbled >"$dir/shown" <<'END'
1: [ RUN      ] One.Passes
1: [       OK ] One.Passes (1 ms)
1: [ RUN      ] One.Dies
1/3 Test #1: shards.one ............***Exception: SegFault  0.25 sec
2: [==========] Running 2 tests from 1 test suite.
2: [       OK ] Two.HasNoBegin (1 ms)
2: [ RUN      ] Two.Pas[ RUN      ] Two.Passes
2: [       OK ] Two.Passes (1 ms)
2/3 Test #2: shards.two ............***Failed    0.25 sec
3: [ RUN      ] Three.Passes
3: [       OK ] Three.Passes (1 ms)
3/3 Test #3: shards.three ..........   Passed    0.25 sec
END
expect '2 3 0' "$dir/result-garbled"
expect 'FAILED: One.Dies' "$dir/shown"

# Its last line has no end.
printf '%s' '1/1 Test #1: packaging.one ....   Passed    0.10 sec' | "$digest" "$dir" cut >"$dir/shown"
expect '1 0 0' "$dir/result-cut"

# It cannot write what it has to show.
if echo '1/1 Test #1: packaging.one ....   Passed    0.10 sec' |
  "$digest" "$dir" full >/dev/full 2>"$dir/shown"; then
  echo "a full disk went unnoticed" && exit 1
fi
expect '1 1 0' "$dir/result-full"
expect 'ended before its input did' "$dir/failed-full.log"
