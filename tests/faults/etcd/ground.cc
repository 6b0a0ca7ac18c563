// SPDX-License-Identifier: Apache-2.0

#include "faults/etcd/ground.h"

#include <stdexcept>
#include <utility>

#include "support/eventually.h"

namespace holdfast::test {

EtcdGround::EtcdGround(std::vector<std::string> arguments)
    : server_(std::move(arguments)),
      shell_(server_.port()),
      line_(server_.port(), Protocol::etcd) {}

LostCalls EtcdGround::lost_calls() {
  return {bad_line_,
          [this] {
            auto passed = line_.passed();
            return passed["Txn"] + passed["Range"] + passed["Put"] +
                   passed["DeleteRange"];
          },
          [this](const std::string& name, const Hold& hold) {
            EXPECT_EQ(static_cast<std::uint64_t>(only_key(name).created),
                      hold.token().value);
          }};
}

std::string EtcdGround::key(std::string_view name) {
  return std::string(kPrefix) + "/" + std::string(name);
}

std::vector<EtcdKey> EtcdGround::keys(std::string_view name) {
  return shell_.below(key(name) + "/");
}

testing::AssertionResult EtcdGround::has_keys(std::string_view name,
                                              std::size_t number) {
  if (eventually([&] { return keys(name).size() == number; })) {
    return testing::AssertionSuccess();
  }
  auto result = testing::AssertionFailure() << "there are:";
  for (const EtcdKey& each : keys(name)) result << " " << each.key;
  return result;
}

testing::AssertionResult EtcdGround::has_claims(const engine::Address& at,
                                                std::size_t number) {
  if (at.kind == engine::Kind::semaphore) return has_keys(at.name + "/claims", number);
  if (at.kind == engine::Kind::double_barrier) {
    return has_keys(at.name + "/waiters", number);
  }
  return has_keys(at.name, number);
}

EtcdKey EtcdGround::only_key(std::string_view name) {
  const auto all = keys(name);
  if (all.size() != 1) throw std::runtime_error("there is not one key");
  return all.front();
}

std::string EtcdGround::key_of_session(std::string_view name,
                                       const std::string& locked) {
  return key(name) + only_key(locked).key.substr(key(locked).size());
}

}  // namespace holdfast::test
