// SPDX-License-Identifier: Apache-2.0

// holdfast/client.h - a process's connection to one engine.
//
//   auto client = holdfast::Client::open("redis://127.0.0.1:6379");
//   if (!client) return report(client.error());        // `value()` would throw it
//   holdfast::Mutex mutex(*client, "invoices/42");
//
//   auto here = holdfast::Client::open().value();      // $HOLDFAST_URL, or local:
//   auto configured = holdfast::Client::from_config("/etc/app/holdfast.conf");
//
// Options, as a shorter lease or a log of your own, are in holdfast/client_options.h.
//
// A Client is cheap to copy: copies share one session, and the last copy closes it.
// Every primitive and every hold keeps a copy. A Client is safe for concurrent use.
//
// Threads. A client starts each of its threads when it is first needed: a timer that
// notices when a lease is over (started by the first claim that waits, ends by time or
// is watched), one that renews leases, one that runs callbacks, and one that serves
// subscriptions. While renewals are stuck or callbacks block, further threads take
// over: at most 24 renew, and at most 64 run callbacks; the additional ones end when
// they are idle. The first asynchronous call (holdfast/completion.h) starts one thread
// more, and at most 8 for its calls to a server. An engine may add threads of its own:
// `local` adds one, whose end shows other processes that this one has died.
//
// Do not end a thread with pthread_cancel while it is inside a call: the claim that it
// was asking for may stay until its lease is over. Pass a stop_token instead.
//
// Exit. Holds that are alive when the process ends are not given back. They end as
// after a crash: on `local` when the kernel has ended the process, elsewhere with the
// lease. A process that calls `close()` before it ends spares the waiters that delay.
//
// Fork. A client belongs to the process that opened it. In a child process every call
// returns Errc::forked, and destructors do nothing. The child opens a client of its
// own.
//
// Signals. Holdfast installs no signal handlers and raises no SIGPIPE, and its threads
// block all signals.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "holdfast/engine/claim.h"
#include "holdfast/export.h"
#include "holdfast/result.h"

namespace holdfast::core {
class Access;
class ClientState;
}  // namespace holdfast::core

namespace holdfast::inline v0 {

// These are declared here and defined in headers of their own, because most files that
// name a Client do without them: holdfast/client_options.h and
// holdfast/engine/session.h. Include them, or <holdfast/holdfast.h>, to use them.
struct ClientOptions;
namespace engine {
struct Traits;
class Session;
class Engine;
}  // namespace engine

class HOLDFAST_EXPORT Client {
 public:
  // Opens a client. `url` selects the engine: `local:`, `local:///path`,
  // `redis://host:6379`, ... An empty URL stands for the environment variable
  // HOLDFAST_URL, or for `local:` if that is not set. The errors are Errc::bad_url,
  // bad_argument (something in `options`), no_engine, unavailable, denied, incompatible
  // and full.
  static Result<Client> open(std::string_view url = {});
  static Result<Client> open(std::string_view url, const ClientOptions& options);

  // Opens a client as a file says. The file has `key = value` lines; every option has
  // the name that it has in a URL; see docs/configuration.md. A mistake in the file is
  // Errc::bad_config. Three examples, for one server, a cluster and a quorum of
  // servers:
  //   type = redis              type = etcd                       type = quorum
  //   address = 10.0.0.1:6379   address = 10.0.0.1, 10.0.0.2:2379 node = redis://a
  //   client_name = billing     hand_over = yes                   node = redis://b
  //   ttl = 30s                 ttl = 30s                         node = redis://c
  static Result<Client> from_config(const std::string& path);
  static Result<Client> from_config(const std::string& path,
                                    const ClientOptions& options);

  // Opens a client over an engine of your own; see holdfast/engine/session.h.
  static Result<Client> over(std::unique_ptr<engine::Engine> engine);
  static Result<Client> over(std::unique_ptr<engine::Engine> engine,
                             const ClientOptions& options);

  // Gives back every claim that this client still has, and stops its threads. Its holds
  // are lost from then on, and later calls fail with Errc::closed. `close()` waits for
  // callbacks that are running, unless a callback calls it. A claim whose release the
  // engine does not confirm within 2 s, or which a call that is still under way asks
  // for, is given back in the background, until the last copy of the client is gone.
  // The connection to the engine is closed with the last copy, too.
  void close() noexcept;

  // Returns what the engine promises for primitives of this kind, on the server that
  // was found.
  engine::Traits traits(engine::Kind kind) const noexcept;

  // Returns the engine's own interface, for observers and operators (`list`, `survey`,
  // `evict`).
  engine::Session& session() const noexcept;

 private:
  friend class core::Access;
  explicit Client(std::shared_ptr<core::ClientState> state) noexcept;
  std::shared_ptr<core::ClientState> state_;
};

// Returns the names of the engines that are linked in or installed, as in "local
// redis".
HOLDFAST_EXPORT std::string_view engines() noexcept;

// Returns the version of the library that runs, as in "0.1.0"; see holdfast/version.h.
HOLDFAST_EXPORT std::string_view version() noexcept;

}  // namespace holdfast::inline v0
