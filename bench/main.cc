// SPDX-License-Identifier: Apache-2.0

// bench/main.cc - holdfast_bench [ENGINE] [WORKLOAD...] [--json FILE] [--check]
//                                 [--only CROWD] [--beside PROGRAM] [--smoke]
//
// local, which is the default
//   uncontended   std::scoped_lock without contention, beside the rivals
//   reentry       RecursiveMutex locked again, beside std::recursive_mutex
//   handover      two processes in turn, on one core and on two, beside a bare futex
//                 ping-pong
//   contended     16 and 8 processes of one thread, 3 of 16 threads, on one name, with
//                 nothing, 1 us and 100 us under the lock, beside the rivals
//   waiters       1,000 threads wait: how many does one release wake?
//   syscalls      in 100,000 uncontended pairs, counted by strace
//   allocations   for one uncontended pair
//   memory        for each of 100,000 held locks, in the process and in the segment
//   readers       64 of them on one name, alone and beside a writer
//   growth        1 to 1,000 clients on one name; 10 to 10,000 held locks
//   counts        system calls for one operation of every primitive
//
// redis, on a redis-server that it starts
//   uncontended   1, 8 and 32 threads, each its own name, beside bare connections that
//                 send the same commands, and beside Redisson
//   commands      for one pair, and for re-entry, as MONITOR sees them
//   contended     8 and 16 processes of one thread, with nothing, 100 us and 1 ms under
//                 the lock, and 3 of 16 threads, on one name, beside SET NX, redsync,
//                 rueidislock and Redisson
//   renewal       of 100,000 held locks: time, processor time, commands, memory
//   ceiling       what redis-benchmark reaches with the same script
//   readers       as on local
//   growth        10 to 1,000 clients on one name; 10 to 10,000 held locks
//   counts        round trips and commands for one operation of every primitive
//
// redis-cluster, on clusters of one and of three primaries that it starts, and a server
//   uncontended   1 thread on one name and 32 on many, beside the server and beside
//   bare
//                 connections to the one primary
//   commands      for one pair, on many names, as MONITOR sees them at every server
//   renewal       of 100,000 held locks in nearly all slots: time, processor time,
//                 commands
//
// quorum, on three servers that it starts
//   uncontended   one thread, beside one node
//
// async, the asynchronous forms on local and on a redis-server that it starts
//   one-name      100,000 waiters on one name: memory, threads, commands at rest and
//                 hand-over, beside 64 blocked threads
//   many-names    the same on 100,000 names
//   uncontended   64 pairs in flight on redis, beside a bare pipeline of the same
//                 commands
//   rivals        10,000 waiters on one name on redis, beside Redisson's lockAsync and
//                 goroutines with redsync and rueidislock
//
// zookeeper, on two servers that it starts, with their data on tmpfs and on disk
//   uncontended   one thread, release() and unlock(), beside Curator
//   contended     2, 4, 8 and 16 processes of one thread, 3 of 16 threads, on one name,
//                 beside Curator
//   threads       16 threads of one process on one name, with and without hand-over,
//                 beside Curator
//   growth        1 to 100 clients on one name; 10 to 10,000 held locks
//   counts        requests for one operation of every primitive, by the server's count
//
// etcd, on two servers that it starts, with their data on tmpfs and on disk
//   uncontended   one thread, beside Go's concurrency.Mutex
//   contended     as on zookeeper, beside Go's
//   handover      from the release of one client to the grant of another, beside Go's
//   threads       16 threads of one process on one name, with and without hand-over,
//                 beside Go's
//   growth        as on zookeeper
//   counts        requests for one operation of every primitive, by the server's count
//
// mysql, on two servers that it starts, with their data on tmpfs and on disk
//   uncontended   one thread, beside two bare updates and plain GET_LOCK
//   contended     8 and 16 processes of one thread, 3 of 16 threads, on one name,
//   beside
//                 plain GET_LOCK and a unique row that is polled every 50 ms
//   threads       8 threads of one process on one name, beside the unique row
//   waiter        statements of one waiter
//   growth        as on zookeeper
//   counts        statements for one operation of every primitive, by the server's
//                 count
//
// Redisson, Curator and the libraries for Go take part when HOLDFAST_REDISSON_PEER,
// HOLDFAST_CURATOR_PEER and HOLDFAST_GO_PEER name what tests/interop/redisson,
// tests/interop/curator and tests/interop/go are built to.
//
// --beside names the holdfast_bench of another state of the tree, with the same bench/:
// its processes take part in `contended` of local and redis as "holdfast before".
// --only leaves out the rows of `contended` without that text, such as "16 x 1, 1 ms"
// or "tmpfs, 2 x 1"; `async one-name` and `many-names` then run on that engine only.
// --smoke runs everything for a moment and with few waiters, so that a test sees
// whether it works.
//
// Without a workload, all of them run. A missed target is reported and does not fail
// the run, except with --check, which exits with 1 if a *count* was missed and with 77
// if one could not be taken. Times never fail a run. docs/benchmarks.md explains each
// figure.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <span>
#include <string_view>

#include "async/workloads.h"
#include "contestant.h"
#include "ground.h"
#include "holdfast/holdfast.h"
#include "roles.h"
#include "workload.h"
#ifdef HOLDFAST_BENCH_REDIS
#include "quorum/workloads.h"
#include "redis/server.h"
#include "redis/workloads.h"
#include "redis_cluster/workloads.h"
#endif
#ifdef HOLDFAST_BENCH_ZOOKEEPER
#include "zookeeper/server.h"
#include "zookeeper/workloads.h"
#endif
#ifdef HOLDFAST_BENCH_ETCD
#include "etcd/server.h"
#include "etcd/workloads.h"
#endif
#ifdef HOLDFAST_BENCH_MYSQL
#include "mysql/server.h"
#include "mysql/workloads.h"
#endif

namespace holdfast::bench {
namespace {

constexpr Workload kLocal[] = {
    {"uncontended", uncontended}, {"reentry", reentry}, {"handover", handover},
    {"contended", contended},     {"waiters", waiters}, {"syscalls", syscalls},
    {"allocations", allocations}, {"memory", memory},   {"readers", readers},
    {"growth", growth},           {"counts", counts},
};

constexpr Workload kAsync[] = {
    {"one-name", async::one_name},
    {"many-names", async::many_names},
#ifdef HOLDFAST_BENCH_REDIS
    {"uncontended", async::uncontended},
    {"rivals", async::rivals},
#endif
};

#ifdef HOLDFAST_BENCH_REDIS
constexpr Workload kRedis[] = {
    {"uncontended", redis::uncontended}, {"commands", redis::commands},
    {"contended", redis::contended},     {"renewal", redis::renewal},
    {"ceiling", redis::ceiling},         {"readers", readers},
    {"growth", redis::growth},           {"counts", redis::counts},
};
constexpr Workload kRedisCluster[] = {
    {"uncontended", redis_cluster::uncontended},
    {"commands", redis_cluster::commands},
    {"renewal", redis_cluster::renewal},
};
constexpr Workload kQuorum[] = {{"uncontended", quorum::uncontended}};
#endif

#ifdef HOLDFAST_BENCH_ZOOKEEPER
constexpr Workload kZookeeper[] = {
    {"uncontended", zookeeper::uncontended}, {"contended", zookeeper::contended},
    {"threads", zookeeper::threads},         {"growth", growth_on_server},
    {"counts", zookeeper::counts},
};
#endif

#ifdef HOLDFAST_BENCH_ETCD
constexpr Workload kEtcd[] = {
    {"uncontended", etcd::uncontended}, {"contended", etcd::contended},
    {"handover", etcd::handover},       {"threads", etcd::threads},
    {"growth", growth_on_server},       {"counts", etcd::counts},
};
#endif

#ifdef HOLDFAST_BENCH_MYSQL
constexpr Workload kMysql[] = {
    {"uncontended", mysql::uncontended}, {"contended", mysql::contended},
    {"threads", mysql::threads},         {"waiter", mysql::waiter},
    {"growth", growth_on_server},        {"counts", mysql::counts},
};
#endif

struct EngineRow {
  std::string_view name;
  std::span<const Workload> workloads;
  bool wants_redis = false;  // whether a redis-server is started for them
};

constexpr EngineRow kEngines[] = {
    {"local", kLocal},         {"async", kAsync, true},
#ifdef HOLDFAST_BENCH_REDIS
    {"redis", kRedis, true},   {"redis-cluster", kRedisCluster, true},
    {"quorum", kQuorum, true},
#endif
#ifdef HOLDFAST_BENCH_ZOOKEEPER
    {"zookeeper", kZookeeper},
#endif
#ifdef HOLDFAST_BENCH_ETCD
    {"etcd", kEtcd},
#endif
#ifdef HOLDFAST_BENCH_MYSQL
    {"mysql", kMysql},
#endif
};

constexpr int kUsage = 64;
constexpr int kSkipped = 77;

struct Arguments {
  std::string beside;
  std::string only;
  const EngineRow* engine = kEngines;
  std::vector<Workload> workloads;
  std::string json;
  bool check = false;
  bool smoke = false;
};

template <class Row>
const Row* find(std::span<const Row> rows, const std::string& name) {
  const auto found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? nullptr : &*found;
}

// Throws std::invalid_argument with a sentence.
Arguments parse(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (const auto* engine = find<EngineRow>(kEngines, word); engine && i == 0) {
      arguments.engine = engine;
    } else if (const auto* found = find(arguments.engine->workloads, word)) {
      arguments.workloads.push_back(*found);
    } else if (word == "--json" && i + 1 < words.size()) {
      arguments.json = words[++i];
    } else if (word == "--beside" && i + 1 < words.size()) {
      arguments.beside = words[++i];
    } else if (word == "--only" && i + 1 < words.size()) {
      arguments.only = words[++i];
    } else if (word == "--smoke") {
      arguments.smoke = true;
    } else if (word == "--check") {
      arguments.check = true;
    } else {
      throw std::invalid_argument("'" + word + "' is no engine, workload or option");
    }
  }
  if (arguments.workloads.empty()) {
    arguments.workloads.assign(arguments.engine->workloads.begin(),
                               arguments.engine->workloads.end());
  }
  return arguments;
}

// Counts do not depend on how the program was built, everything else does.
void check_build(const Arguments& arguments) {
  const bool counts_only = std::ranges::all_of(
      arguments.workloads, [](const Workload& each) { return each.name == "counts"; });
  if (arguments.json.empty() || counts_only) return;
  if (arguments.smoke) {
    throw std::invalid_argument("--json writes no figures of --smoke");
  }
  if (build_type() == "Release") return;
  throw std::invalid_argument("--json writes no figures of a " +
                              std::string(build_type()) +
                              " build; use ./dev bench, which makes a Release build");
}

int run(const Arguments& arguments) {
  check_build(arguments);
  // `local:` has its segment there.
  std::string dir = "/dev/shm/holdfast-bench-XXXXXX";
  if (mkdtemp(dir.data()) == nullptr) throw std::runtime_error("cannot create " + dir);
  const std::shared_ptr<void> cleanup(nullptr, [&](void*) {
    std::error_code ignored;
    std::filesystem::remove_all(dir, ignored);
  });
  Context context{dir};
  context.beside = arguments.beside;
  context.smoke = arguments.smoke;
  context.only = arguments.only;
  std::string url = "local://" + dir + "/locks";
#ifdef HOLDFAST_BENCH_REDIS
  std::optional<redis::Server> server;
  if (arguments.engine->wants_redis) {
    context.server = &server.emplace();
    url = server->url();
  }
#endif
  std::vector<Ground> grounds;
#ifdef HOLDFAST_BENCH_ZOOKEEPER
  // The server is kept busy until Java has compiled its code.
  if (arguments.engine->name == "zookeeper") {
    grounds = prepare_grounds<zookeeper::Server>(std::chrono::seconds(3));
  }
#endif
#ifdef HOLDFAST_BENCH_ETCD
  if (arguments.engine->name == "etcd") {
    grounds = prepare_grounds<etcd::Server>(std::chrono::seconds(1));
  }
#endif
#ifdef HOLDFAST_BENCH_MYSQL
  if (arguments.engine->name == "mysql") {
    grounds = prepare_grounds<mysql::Server>(std::chrono::seconds(1));
  }
#endif
  context.grounds = grounds;
  setenv("HOLDFAST_URL", url.c_str(), 1);
  std::cout << machine() << ", " << build_type() << '\n';
  Report report;
  for (const Workload& workload : arguments.workloads) workload.run(context, report);
  if (!arguments.json.empty()) {
    report.write_json(arguments.json, std::string(arguments.engine->name));
  }
  if (!arguments.check) return 0;
  if (!report.every_count_met()) return 1;
  return report.skipped_some() ? kSkipped : 0;
}

}  // namespace

std::vector<std::string> Context::contestants(std::vector<std::string> all) const {
  if (!beside.empty()) all.insert(all.begin() + 1, std::string(kBefore));
  return all;
}

int play_role(const std::vector<std::string>& args) {
  const Words words = Words(args).subspan(1);
  if (args[0] == "handover") handover_role(words);
  if (args[0] == "contended") contended_role(words);
  if (args[0] == "pairs") pairs_role(words);
  if (args[0] == "operations") operations_role(words);
  if (args[0] == "readers") readers_role(words);
  return 0;
}

}  // namespace holdfast::bench

int main(int argc, char** argv) try {
  using namespace holdfast::bench;
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() > 1 && words[0] == "role")
    return play_role({words.begin() + 1, words.end()});
  return run(parse(words));
} catch (const std::invalid_argument& e) {
  std::cerr << "holdfast_bench: " << e.what() << "; see bench/main.cc\n";
  return holdfast::bench::kUsage;
} catch (const std::exception& e) {
  std::cerr << "holdfast_bench: " << e.what() << '\n';
  return 1;
}
