// SPDX-License-Identifier: Apache-2.0

#include "faults/mysql/ground.h"

#include <utility>

#include "support/eventually.h"

namespace holdfast::test {
namespace {

std::string quoted(const std::string& text) { return "'" + text + "'"; }

}  // namespace

MysqlGround::MysqlGround(std::vector<std::string> arguments,
                         std::vector<std::string> environment)
    : server_(std::move(arguments), std::move(environment)),
      shell_(server_.shell()),
      line_(server_.port(), Protocol::mysql) {
  server_.make_database("locks");
}

LostCalls MysqlGround::lost_calls() {
  return {bad_line_, [this] { return line_.passed()["execute"]; },
          [this](const std::string& name, const Hold& hold) {
            EXPECT_EQ(column("token", name), std::to_string(hold.token().value));
          }};
}

void MysqlGround::expect_no_claims() {
  const auto claims = [&] {
    return shell_.number("SELECT COUNT(*) FROM locks.holdfast_claim");
  };
  EXPECT_TRUE(eventually([&] { return claims() == 0; })) << claims() << " are left";
}

void MysqlGround::find_taken_often(Mutex& holder, Mutex& mutex) {
  constexpr int kOften = 17;  // A client that has missed sixteen times tries once more.
  holder.lock();
  for (int i = 0; i < kOften; ++i) EXPECT_FALSE(mutex.try_lock());
  holder.unlock();
}

std::string MysqlGround::column(const std::string& what, const std::string& name) {
  return shell_.value("SELECT " + what +
                      " FROM locks.holdfast_resource WHERE name = " + quoted(name));
}

void MysqlGround::set(const std::string& assignments, const std::string& name) {
  shell_.run("UPDATE locks.holdfast_resource SET " + assignments +
             " WHERE name = " + quoted(name));
}

std::vector<MysqlSession> MysqlGround::sessions(bool waiting) {
  std::vector<MysqlSession> result;
  for (MysqlSession& each : shell_.sessions(std::string(MysqlServer::kUser))) {
    if ((each.state == "User lock") == waiting) result.push_back(std::move(each));
  }
  return result;
}

testing::AssertionResult MysqlGround::has_waiters(std::size_t number) {
  if (eventually([&] { return sessions(true).size() == number; })) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << sessions(true).size() << " wait";
}

testing::AssertionResult MysqlGround::has_claims(const engine::Address& at,
                                                 std::size_t number) {
  std::string seen;
  const bool met = eventually([&] {
    seen = column(
        "IFNULL(expires_at > UTC_TIMESTAMP(6), 0) + (SELECT COUNT(*) FROM "
        "locks.holdfast_claim c WHERE c.resource = holdfast_resource.id "
        "AND c.expires_at > UTC_TIMESTAMP(6))",
        at.name);
    return seen == std::to_string(number);
  });
  if (met) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "there are " << seen;
}

void MysqlGround::kill(const std::vector<MysqlSession>& sessions) {
  for (const MysqlSession& each : sessions) shell_.kill_connection(each.id);
}

}  // namespace holdfast::test
