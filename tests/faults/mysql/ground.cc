// SPDX-License-Identifier: Apache-2.0

#include "faults/mysql/ground.h"

#include <utility>

#include "support/eventually.h"

namespace holdfast::test {
namespace {

std::string quoted(const std::string& text) { return "'" + text + "'"; }

}  // namespace

OnMysql::OnMysql(std::vector<std::string> arguments,
                 std::vector<std::string> environment)
    : server_(std::move(arguments), std::move(environment)),
      shell_(server_.shell()),
      line_(server_.port(), Protocol::mysql) {
  server_.make_database("locks");
}

void OnMysql::find_taken_often(Mutex& holder, Mutex& mutex) {
  constexpr int kOften = 17;  // A client that has missed sixteen times tries once more.
  holder.lock();
  for (int i = 0; i < kOften; ++i) EXPECT_FALSE(mutex.try_lock());
  holder.unlock();
}

std::string OnMysql::column(const std::string& what, const std::string& name) {
  return shell_.value("SELECT " + what +
                      " FROM locks.holdfast_resource WHERE name = " + quoted(name));
}

void OnMysql::set(const std::string& assignments, const std::string& name) {
  shell_.run("UPDATE locks.holdfast_resource SET " + assignments +
             " WHERE name = " + quoted(name));
}

std::vector<MysqlSession> OnMysql::sessions(bool waiting) {
  std::vector<MysqlSession> result;
  for (MysqlSession& each : shell_.sessions(std::string(MysqlServer::kUser))) {
    if ((each.state == "User lock") == waiting) result.push_back(std::move(each));
  }
  return result;
}

testing::AssertionResult OnMysql::has_waiters(std::size_t number) {
  if (eventually([&] { return sessions(true).size() == number; })) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << sessions(true).size() << " wait";
}

testing::AssertionResult OnMysql::has_claims(const engine::Address& at,
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

void OnMysql::kill(const std::vector<MysqlSession>& sessions) {
  for (const MysqlSession& each : sessions) shell_.kill_connection(each.id);
}

}  // namespace holdfast::test
