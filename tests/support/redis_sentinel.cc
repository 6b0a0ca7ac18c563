// SPDX-License-Identifier: Apache-2.0

#include "support/redis_sentinel.h"

#include <stdexcept>

#include "support/eventually.h"
#include "support/scale.h"

namespace holdfast::test {
namespace {

constexpr std::size_t kSentinels = 3;
constexpr std::size_t kQuorum = 2;

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// A server that does not run says nothing. One that runs may close the connection once:
// a sentinel that makes it a replica closes those of all clients.
std::string ask(const RedisServer& server, const std::vector<std::string>& words) {
  constexpr int kTries = 2;
  for (int i = 0; i < kTries; ++i) {
    try {
      return server.command(words);
    } catch (const std::runtime_error&) {
      continue;
    }
  }
  return {};
}

}  // namespace

// Sentinels and replicas log in as a user of their own, which can be shut out.
RedisSentinel::RedisSentinel(const RedisSentinelLines& lines, std::size_t replicas) {
  for (std::size_t i = 0; i <= replicas; ++i) {
    std::vector<std::string> all{"repl-diskless-sync yes", "repl-diskless-sync-delay 0",
                                 "user peer on >peer ~* &* +@all", "masteruser peer",
                                 "masterauth peer"};
    if (i > 0) {
      all.push_back("replicaof 127.0.0.1 " + std::to_string(servers_[0]->port()));
    }
    append(all, lines.servers);
    servers_.push_back(std::make_unique<RedisServer>(std::move(all)));
  }
  const std::string name = kName;
  for (std::size_t i = 0; i < kSentinels; ++i) {
    // Three that want to lead at once vote for themselves, and try again after seconds.
    // So the last one finds the primary down later than the others, and votes.
    const auto down_after = scaled(std::chrono::milliseconds(i < kQuorum ? 500 : 1000));
    std::vector<std::string> all{
        "sentinel monitor " + name + " 127.0.0.1 " +
            std::to_string(servers_[0]->port()) + " " + std::to_string(kQuorum),
        "sentinel auth-user " + name + " peer", "sentinel auth-pass " + name + " peer",
        "sentinel down-after-milliseconds " + name + " " +
            std::to_string(down_after.count()),
        "sentinel failover-timeout " + name + " 1000"};
    append(all, lines.sentinels);
    sentinels_.push_back(std::make_unique<RedisServer>(std::move(all)));
    hurry(*sentinels_.back());
  }
  expect_whole();
}

// By default sentinels tell each other every two seconds, and ask for the replicas
// every ten. One that was not scheduled for two seconds does nothing for half a minute.
void RedisSentinel::hurry(const RedisServer& sentinel) const {
  sentinel.command({"SENTINEL", "DEBUG", "INFO-PERIOD", "200", "PUBLISH-PERIOD", "200",
                    "PING-PERIOD", "100", "ASK-PERIOD", "200", "TILT-TRIGGER",
                    "600000"});
}

std::string RedisSentinel::url(std::string_view rest) const {
  std::string text = "redis+sentinel://";
  for (std::size_t i = 0; i < kSentinels; ++i) {
    if (i > 0) text += ',';
    text += "127.0.0.1:" + std::to_string(sentinels_[i]->port());
  }
  return text.append("/").append(kName).append(rest);
}

std::size_t RedisSentinel::index_of(long port) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (servers_[i]->port() == port) return i;
  }
  throw std::runtime_error("the sentinels name a server that is not one of theirs");
}

std::size_t RedisSentinel::primary() const {
  for (const auto& sentinel : sentinels_) {
    const std::string said =
        ask(*sentinel, {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", kName});
    if (said.empty()) continue;
    return index_of(std::stol(said.substr(said.find(' ') + 1)));
  }
  throw std::runtime_error("no sentinel answers");
}

// WAIT counts from the last command of its own connection, whatever that was.
void RedisSentinel::expect_replicated() const {
  const std::string replicas = std::to_string(size() - 1);
  RedisSocket socket((*this)[primary()].port());
  socket.call({"PING"});
  if (socket.call({"WAIT", replicas, "5000"}).spelt() != replicas) {
    throw std::runtime_error("the replicas do not follow");
  }
}

std::size_t RedisSentinel::fail_over() {
  const std::size_t before = primary();
  const auto ordered = [&] {
    for (const auto& sentinel : sentinels_) {
      const std::string said = ask(*sentinel, {"SENTINEL", "FAILOVER", kName});
      if (!said.empty()) return said == "OK";
    }
    return false;
  };
  if (!eventually(ordered)) throw std::runtime_error("SENTINEL FAILOVER is refused");
  return expect_another_primary(before);
}

std::size_t RedisSentinel::expect_another_primary(std::size_t than) const {
  const auto changed = [&] {
    return primary() != than && ask(*servers_[primary()], {"ROLE"}).starts_with("mast");
  };
  if (!eventually(changed)) throw std::runtime_error("no replica takes over");
  return primary();
}

void RedisSentinel::stop_replication(std::size_t server) const {
  servers_[server]->command({"ACL", "SETUSER", "peer", "off"});
  servers_[server]->command({"CLIENT", "KILL", "TYPE", "replica"});
}

// A sentinel that cannot log in is the default user, and takes a refused PING for
// silence.
void RedisSentinel::cut_off(std::size_t server) const {
  stop_replication(server);
  servers_[server]->command({"ACL", "SETUSER", "default", "-ping"});
  servers_[server]->command({"CLIENT", "KILL", "USER", "peer"});
}

void RedisSentinel::reconnect(std::size_t server) const {
  servers_[server]->command({"ACL", "SETUSER", "default", "+ping"});
  servers_[server]->command({"ACL", "SETUSER", "peer", "on"});
}

// A server is asked once, because it may become a replica between two questions.
void RedisSentinel::expect_whole() const {
  const auto whole = [&] {
    const std::string follows =
        " " + std::to_string((*this)[primary()].port()) + " connected ";
    std::size_t masters = 0;
    for (const auto& server : servers_) {
      const std::string role = ask(*server, {"ROLE"});
      const bool leads = role.starts_with("master ");
      masters += leads ? 1 : 0;
      if (!role.empty() && !leads && !contains(role, follows)) return false;
    }
    const std::string known = ",slaves=" + std::to_string(size() - 1) +
                              ",sentinels=" + std::to_string(kSentinels);
    for (const auto& sentinel : sentinels_) {
      const std::string info = ask(*sentinel, {"INFO", "sentinel"});
      if (!info.empty() && !contains(info, known)) return false;
    }
    return masters == 1;
  };
  if (!eventually(whole)) throw std::runtime_error("the sentinels do not become whole");
}

}  // namespace holdfast::test
