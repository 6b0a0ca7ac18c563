// SPDX-License-Identifier: Apache-2.0

#include "interop/interop.h"

#include <algorithm>
#include <ostream>

namespace holdfast::test {

void PrintTo(const Pass& pass, std::ostream* out) {
  *out << pass.from << " to " << pass.to;
}

Peer& Interop::peer() {
  static Peer peer = start_peer();
  return peer;
}

std::string Interop::name(std::string_view text) const {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  std::string all = std::string(test->test_suite_name()) + "." + test->name() + "." +
                    std::string(text);
  std::ranges::replace(all, '/', '.');
  return all;
}

void Interop::peer_takes(std::string_view thread, std::string_view kind,
                         const std::string& name) {
  const Answer answer = peer().ask(thread, "lock", kind, name, patience(), -1);
  ASSERT_EQ(answer.said, "ok") << answer.value;
}

void Interop::peer_gives_back(std::string_view thread, std::string_view kind,
                              const std::string& name) {
  const Answer answer = peer().ask(thread, "unlock", kind, name);
  ASSERT_EQ(answer.said, "ok") << answer.value;
}

void Interop::prepare(std::string_view kind, const std::string& name) {
  if (kind.find("Semaphore") == kind.npos || kind.ends_with("Mutex")) return;
  ASSERT_EQ(peer().ask("prepare", "set", kind, name, 1).value, "true");
}

}  // namespace holdfast::test
