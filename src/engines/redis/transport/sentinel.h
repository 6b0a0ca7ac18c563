// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/sentinel.h - finds the primary that Redis Sentinel watches.
//
// A thread asks the sentinels which server is the primary: when they are opened, when
// one of them says that the primary has changed, when a message of theirs may have been
// missed, and when no connection to the primary could be made. While no sentinel
// answers, the primary that was found last stays.
//
// Each answer has an epoch, which grows with every failover. A sentinel that was cut
// off together with an old primary still names it, with an epoch that is smaller; such
// an answer is believed only if most of the sentinels agree, as after an operator made
// them begin anew.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "engines/redis/options.h"
#include "engines/redis/transport/pub_sub.h"
#include "engines/redis/transport/refresher.h"
#include "engines/redis/transport/requests.h"
#include "engines/redis/transport/route.h"
#include "holdfast/retry.h"

namespace holdfast::redis {

// A SentinelAnswer is what one sentinel says.
struct SentinelAnswer {
  base::Host primary;
  std::int64_t epoch = 0;
  int replicas = 0;  // that the primary has, also those that are down
  std::vector<base::Host> others = {};  // the other sentinels
};

// Reads the replies to SENTINEL GET-MASTER-ADDR-BY-NAME, MASTER and SENTINELS. A
// failure says in one sentence why `sentinel` cannot tell; Errc::bad_url means that the
// URL is wrong about it.
Result<SentinelAnswer> read_sentinel_answer(std::span<const Reply> replies,
                                            const Endpoint& sentinel,
                                            const std::string& name);

// Returns whether the best answer of a round of questions replaces what is known.
bool is_believed(const SentinelAnswer& best, bool most_answered,
                 const std::optional<SentinelAnswer>& known) noexcept;

// The class is safe for concurrent use.
class Sentinels {
 public:
  // `like` says how to be admitted at the servers. `switched` is called on the thread,
  // with no mutex held, when the primary is another server than before.
  Sentinels(const SentinelOptions& options, Endpoint like,
            std::function<void()> switched, const RetryPolicy& retry = {});
  ~Sentinels();
  Sentinels(const Sentinels&) = delete;
  Sentinels& operator=(const Sentinels&) = delete;

  // Begins to ask, once, and waits until the primary is known. A failure says why no
  // sentinel named it.
  Result<void> open(engine::Deadline until);

  // After this, `switched` is not called any more.
  void stop() noexcept;

  // Returns a route to the server that is the primary when a connection is made. It may
  // be used while this object lives.
  Route to_primary();

  // Returns how many replicas the primary has, as the sentinels know them.
  int replicas() const;

  // Returns the primary that was named last, if any was.
  std::optional<base::Host> known_primary() const;

  // Returns the sentinels of the URL, and those that they named.
  std::vector<base::Host> hosts() const;

 private:
  struct Sentinel;
  class News;

  Result<base::Host> primary(engine::Deadline until);
  Result<std::unique_ptr<Stream>> connect(engine::Deadline until);
  void ask_again(const Sentinel* first);

  bool refresh();
  Result<void> ask_all();
  Result<SentinelAnswer> ask(Sentinel& sentinel) const;
  void put(const SentinelAnswer& answer);
  void add_sentinels(const std::vector<base::Host>& hosts);

  const SentinelOptions options_;
  const Endpoint like_;
  const std::function<void()> switched_;
  const RetryPolicy retry_;

  mutable base::Mutex mutex_;
  base::CondVar changed_;
  Refresher refresher_;  // The sentinels ask for a round until they are destroyed.
  std::optional<SentinelAnswer> known_ HOLDFAST_GUARDED_BY(mutex_);
  // This says why the last round of questions brought nothing.
  std::optional<Failure> why_ HOLDFAST_GUARDED_BY(mutex_);
  // These are the sentinels of the URL, in the order of asking. When none of them
  // answers, those that they named are added.
  std::vector<std::shared_ptr<Sentinel>> sentinels_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::redis
