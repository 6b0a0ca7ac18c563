// SPDX-License-Identifier: Apache-2.0

#include "interop/ours.h"

namespace holdfast::test {

using engine::Kind;

std::string_view query_of(std::string_view) { return {}; }

engine::Address address_of(std::string_view kind, const std::string& name) {
  if (kind == "ReadLock" || kind == "WriteLock") return {Kind::shared_mutex, name};
  if (kind == "Election") return {Kind::election, name};
  return {Kind::mutex, name};
}

}  // namespace holdfast::test
