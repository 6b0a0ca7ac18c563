#include "interop/interop.h"

#include "support/eventually.h"

namespace holdfast::test {

RedisServer& Interop::server() {
  static RedisServer server;
  return server;
}

Peer& Interop::peer() {
  static Peer peer(server().url());
  return peer;
}

std::string Interop::name(std::string_view text) const {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  return std::string(test->test_suite_name()) + "/" + test->name() + "/" +
         std::string(text);
}

void Interop::prepare(std::string_view java, const std::string& name) {
  if (!java.ends_with("Semaphore")) return;
  ASSERT_EQ(peer().ask("prepare", "set", java, name, 1).value, "true");
}

testing::AssertionResult Interop::awaited(const std::string& name) {
  const auto listened_to = [&] {
    return !server().command({"PUBSUB", "CHANNELS", "*{" + name + "}*"}).empty();
  };
  if (eventually(listened_to)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "nobody waits for " << name;
}

}  // namespace holdfast::test
