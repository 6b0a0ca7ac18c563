// SPDX-License-Identifier: Apache-2.0

// A Redis confirms a lock and dies before its replica has heard of it. The replica is
// promoted, and hands the same lock out once more: two are inside. The stock is on a
// server that stays. Renewal, owners and scripts change nothing about that; what helps
// is a token that the stock compares, a grant that waits for the replica (?ack), or
// servers that agree by majority.

#include <filesystem>

#include "holdfast/client_options.h"
#include "holdfast/log.h"
#include "holdfast/mutex.h"
#include "scenes/parts.h"
#include "scenes/stage.h"
#include "servers/ensemble.h"
#include "servers/redis_server.h"
#include "stores/stock.h"
#include "strategies/ladder/v5_lua.h"

namespace holdfast::shop {
namespace {

const std::string kFailoverKey = "scene-failover";
const HandMade kOnAnyServer{.key = kFailoverKey, .lease = kSceneLimit};

constexpr int kShelf = 10;
const Timeout kAskOnce = Timeout::zero();

// A server that finds the files of the scene before would bring its lock back.
const std::string& emptied(const std::string& dir) {
  std::filesystem::remove_all(dir);
  return dir;
}

// A Redis and its replica. Clients go to the replica when it was promoted.
class RedisPair {
 public:
  explicit RedisPair(const std::string& dir)
      : primary_(start_redis_server(emptied(dir) + "/primary")),
        replica_(start_redis_server(dir + "/replica")) {
    follow(primary_.port);
    soon([this] {
      return Redis(replica_.port)
                 .command({"INFO", "replication"})
                 .find("master_link_status:up") != std::string::npos;
    });
  }
  ~RedisPair() = default;
  RedisPair(const RedisPair&) = delete;
  RedisPair& operator=(const RedisPair&) = delete;

  std::uint16_t primary() const noexcept { return primary_.port; }
  std::uint16_t replica() const noexcept { return replica_.port; }

  // The replica hears nothing more. To stop its process would not do: what the primary
  // sends would wait in its socket.
  void cut_off() {
    constexpr std::uint16_t kNothingListens = 1;
    follow(kNothingListens);
  }

  void fail_over() {
    primary_.child.kill();
    Redis(replica_.port).command({"REPLICAOF", "NO", "ONE"});
  }

 private:
  void follow(std::uint16_t port) {
    Redis(replica_.port).command({"REPLICAOF", "127.0.0.1", std::to_string(port)});
  }

  RunningServer primary_;
  RunningServer replica_;
};

// A server that dies is the scene, so nothing is said of it.
Client open_quietly(const std::string& url) {
  return Client::open(url, {.log = [](LogLevel, std::string_view) {}}).value();
}

std::string redis_url(std::uint16_t port) { return "redis://" + at(port); }

bool is_taken(const Result<Hold>& hold) {
  return !hold && hold.error() == Errc::timed_out;
}

// While members choose a new leader, they do not answer.
bool is_taken_when_asked(Mutex& mutex) {
  bool taken = false;
  soon([&] {
    const auto hold = mutex.acquire({.wait = kAskOnce});
    taken = is_taken(hold);
    return taken || hold.has_value();
  });
  return taken;
}

// Whether a hold outlives the leader of its ensemble.
bool ensemble_keeps_the_lock(Ensemble ensemble, const std::string& scheme) {
  const std::string url = scheme + "://" + ensemble.hosts();
  Mutex first(open_quietly(url), kFailoverKey);
  Mutex second(open_quietly(url), kFailoverKey);
  const auto hold = first.acquire({.wait = kSceneLimit});
  ensemble.kill_leader();
  return hold && is_taken_when_asked(second) && hold->valid();
}

}  // namespace

bool v5_sells_twice_after_a_failover(const Stage& stage) {
  RedisPair pair(stage.dir + "/failover");
  const auto connection = open_stock(Store::redis, stage.places);
  connection->fill(kShelf);
  pair.cut_off();
  Redis before(pair.primary());
  V5Lua(before, kOnAnyServer).lock();
  const int count = connection->read().count;
  pair.fail_over();
  Redis after(pair.replica());
  if (!V5Lua(after, kOnAnyServer).try_lock()) return false;
  connection->write(connection->read().count - 1);
  connection->write(count - 1);  // The first holder goes on: nothing has told it.
  constexpr int kSold = 2;
  return connection->read().count > kShelf - kSold;
}

bool holdfast_is_fenced_after_a_failover(const Stage& stage) {
  RedisPair pair(stage.dir + "/failover-fenced");
  const auto connection = open_stock(Store::redis, stage.places);
  connection->fill(kShelf);
  pair.cut_off();
  Mutex before(open_quietly(redis_url(pair.primary())), kFailoverKey);
  const auto first = before.acquire().value();
  const int count = connection->read().count;
  pair.fail_over();
  Mutex after(open_quietly(redis_url(pair.replica())), kFailoverKey);
  const auto second = after.acquire({.wait = kAskOnce}).value();  // here, too
  const bool sold =
      connection->write_fenced(connection->read().count - 1, second.token().value);
  const bool sold_again = connection->write_fenced(count - 1, first.token().value);
  return sold && !sold_again && connection->read().count == kShelf - 1;
}

bool acknowledged_lock_is_kept(const Stage& stage) {
  RedisPair pair(stage.dir + "/failover-ack");
  Mutex before(open_quietly(redis_url(pair.primary()) + "?ack=1"), kFailoverKey);
  const auto first = before.acquire({.wait = kSceneLimit});
  pair.fail_over();
  Mutex after(open_quietly(redis_url(pair.replica())), kFailoverKey);
  const bool kept = first && is_taken(after.acquire({.wait = kAskOnce}));

  RedisPair parted(stage.dir + "/failover-parted");
  parted.cut_off();
  Mutex alone(open_quietly(redis_url(parted.primary()) + "?ack=1&ack_time=100ms"),
              kFailoverKey);
  const auto refused = alone.acquire({.wait = kAskOnce});
  return kept && !refused && refused.error() == Errc::unavailable;
}

// An empty server takes the place of one of the three, as a replica would that was
// promoted without the lock.
bool quorum_keeps_the_lock(const Stage& stage) {
  const std::string dir = stage.dir + "/failover-quorum";
  std::vector<RunningServer> nodes;
  std::string url = "quorum:";
  for (const std::string node : {"/1", "/2", "/3"}) {
    nodes.push_back(start_redis_server(dir + node));
    url += (nodes.size() == 1 ? "" : ",") + redis_url(nodes.back().port);
  }
  Mutex before(open_quietly(url), kFailoverKey);
  const auto first = before.acquire({.wait = kSceneLimit});
  nodes[0].child.kill();
  nodes[0].child = start_redis_server_at(nodes[0].port, dir + "/promoted");
  Mutex after(open_quietly(url), kFailoverKey);
  return first && is_taken_when_asked(after) && first->valid();
}

bool zookeeper_keeps_the_lock(const Stage& stage) {
  return ensemble_keeps_the_lock(start_zookeeper(stage.dir + "/failover-zookeeper", 3),
                                 "zookeeper");
}

bool etcd_keeps_the_lock(const Stage& stage) {
  return ensemble_keeps_the_lock(start_etcd(stage.dir + "/failover-etcd", 3), "etcd");
}

}  // namespace holdfast::shop
