#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# abi_can_fail.sh CXX DIR - check_abi.sh passes a library that is as it was, also when what
# changed is not seen by its users, and refuses one in which any single fact is another.
set -euo pipefail
cxx=$1 dir=$2
check=$(dirname "$0")/../../scripts/check_abi.sh

rm -rf "$dir"
mkdir -p "$dir/include/holdfast"

# library HEADER CODE: makes it; a header is what users include, the code is not.
library() {
  printf '#include <memory>\nnamespace holdfast { inline namespace v0 {\n%s\n} }\n' "$1" \
    >"$dir/include/holdfast/api.h"
  printf '#include "holdfast/api.h"\n%s\n' "$2" >"$dir/library.cc"
  echo 'API_1 { global: _ZN8holdfast2v0*; _ZNK8holdfast2v0*; _ZT[ISV]N8holdfast2v0*; };
    API_PRIVATE_1 { global: _ZN8holdfast4base*; local: *; };' >"$dir/map"
  "$cxx" -std=c++20 -g -shared -fPIC "-I$dir/include" "-Wl,--version-script=$dir/map" \
    -o "$dir/library.so" "$dir/library.cc"
}
check() { "$check" "$@" "$dir/library.so" "$dir/include" "$dir/kept"; }

api='
  enum class Errc : int { full = 1, closed = 2 };
  struct Options { int ttl; bool renewed; std::unique_ptr<int> payload; };
  struct Engine { virtual ~Engine(); virtual void open(); virtual void shut(); };
  class Lock { public: bool take(const Options&); Errc why() const; private: struct Impl; Impl* impl_; };'
code='
  namespace holdfast::base { void used_by_engines() {} }
  namespace holdfast {
  struct Lock::Impl { int state; };
  Engine::~Engine() = default; void Engine::open() {} void Engine::shut() {}
  bool Lock::take(const Options&) { return impl_->state; } Errc Lock::why() const { return Errc::full; } }'

library "$api" "$code"
check --update || exit # also 77, which says that it cannot be checked here
[[ $(grep -c . "$dir/kept") -ge 20 ]] || { cat "$dir/kept" && exit 1; }
check
library "$api" "${code/int state/long state, more}"
check
library "$api" "${code/used_by_engines() \{\}/used_by_engines(int) \{\}}"
check

refused() { # WHAT HEADER [CODE]
  library "$2" "${3:-$code}"
  if check >/dev/null; then
    echo "not found: $1"
    exit 1
  fi
}
refused "a value of an enum" "${api/closed = 2/closed = 3}"
refused "the type of an enum" "${api/Errc : int/Errc : short}"
refused "a member more" "${api/bool renewed/bool renewed, capped}"
refused "the order of members" "${api/int ttl; bool renewed/bool renewed; int ttl}"
refused "the type of a member" "${api/int ttl/unsigned ttl}"
refused "a type of the standard library" "${api/unique_ptr<int>/unique_ptr<long>}"
refused "a private member" "${api/Impl\* impl_/Impl* impl_; int more_}"
refused "the order of virtual functions" \
  "${api/virtual void open(); virtual void shut()/virtual void shut(); virtual void open()}"
refused "a parameter" "${api/take(const Options&)/take(Options)}" "${code/take(const Options&)/take(Options)}"
refused "a result" "${api/bool take/int take}" "${code/bool Lock/int Lock}"
refused "a function that is gone" "${api/Errc why() const;/}" \
  "${code/Errc Lock::why() const \{ return Errc::full; \}/Errc kept = Errc::full;}"
