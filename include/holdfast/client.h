// holdfast/client.h - a process's connection to one engine.
//
//   auto client = holdfast::Client::open();            // $HOLDFAST_URL, or local:
//   auto client = holdfast::Client::open("local:///run/app/locks");
//   auto client = holdfast::Client::from_config("/etc/app/holdfast.conf");
//
// Cheap to copy: copies share one session, and the last copy closes it. Every primitive
// and every hold keeps a copy. Safe for concurrent use.
//
// Threads. Each is started when it is first needed: the keeper's timer, which tells
// losses (by the first claim that ends by time or is watched), one that renews, one
// that runs callbacks, one that looks for news. While renewals are stuck or callbacks
// block, others take over: at most 24 and 64, which end when they are idle. An engine
// adds its own: `local` one witness.
//
// Do not end a thread with pthread_cancel while it is inside a call: what it had asked
// for may stay until its lease is over. Pass a stop_token instead.
//
// Exit. Holds that are alive when the process ends are not given back; they end as
// after a crash: on `local` when the kernel has ended the process, elsewhere with the
// lease. `close()` in good time is kinder to those who wait.
//
// Fork. A client belongs to the process that opened it. In a child every call returns
// Errc::forked, and destructors do nothing; open another.
//
// Signals. Holdfast neither installs handlers nor raises SIGPIPE, and its threads block
// all signals.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "holdfast/engine/session.h"
#include "holdfast/export.h"
#include "holdfast/log.h"
#include "holdfast/metrics.h"
#include "holdfast/result.h"
#include "holdfast/retry.h"

namespace holdfast {

namespace core {
class Hub;
}

struct ClientOptions {
  std::chrono::milliseconds ttl{30'000};  // of leases; renewed every third of it
  std::string payload = {};  // what observers see; empty: "host:pid:program"
  LogSink log = {};          // empty: warnings and errors to stderr
  Metrics* metrics = nullptr;
  RetryPolicy retry = {};  // the URL's or config file's wins; `local` has no use for it
};

class HOLDFAST_EXPORT Client {
 public:
  // `url` selects the engine: `local:`, `local:///path`, `redis://host:6379`, ...
  // Empty: the environment's HOLDFAST_URL, then `local:`. `open` throws
  // holdfast::Error.
  static Client open(std::string_view url = {}, ClientOptions options = {});
  static Result<Client> try_open(std::string_view url = {}, ClientOptions options = {});

  // A file of `key = value` lines, with every option by its name in the URL; see
  // docs/configuration.md. One server; a cluster; a quorum of servers:
  //   type = redis              type = etcd                       type = quorum
  //   address = 10.0.0.1:6379   address = 10.0.0.1, 10.0.0.2:2379 node = redis://a
  //   client_name = billing     hand_over = yes                   node = redis://b
  //   ttl = 30s                 ttl = 30s                         node = redis://c
  static Client from_config(const std::string& path, ClientOptions options = {});
  static Result<Client> try_from_config(const std::string& path,
                                        ClientOptions options = {});

  // Over an engine of your own making: see holdfast/engine/session.h.
  static Result<Client> over(std::unique_ptr<engine::Engine> engine,
                             ClientOptions options = {});

  // Gives every claim back that this client still has and stops its threads, after the
  // callbacks that run have returned (unless it is called by one). Its holds are lost
  // from then on, and later calls give Errc::closed. What the engine does not confirm
  // within 2 s, or was asked by a call that is still under way, goes on being given
  // back in the background until the last copy is gone. The engine itself is left with
  // that.
  void close() noexcept;

  engine::Traits traits(engine::Kind kind) const noexcept;

  // The waist itself, for observers and operators (`list`, `survey`, `evict`).
  engine::Session& session() const noexcept;

  // For primitives: src/core/hub.h.
  const std::shared_ptr<core::Hub>& hub() const noexcept { return hub_; }

 private:
  explicit Client(std::shared_ptr<core::Hub> hub) noexcept;
  std::shared_ptr<core::Hub> hub_;
};

// The engines in this build, separated by spaces: "local redis".
HOLDFAST_EXPORT std::string_view engines() noexcept;

// "0.1.0"
HOLDFAST_EXPORT std::string_view version() noexcept;

}  // namespace holdfast
