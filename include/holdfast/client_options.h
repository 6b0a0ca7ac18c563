// SPDX-License-Identifier: Apache-2.0

// holdfast/client_options.h - how a client behaves, whatever its engine.
//
//   auto client = holdfast::Client::open("redis://db1", {.ttl = 10s}).value();
//
// What the URL or a configuration file can say is in docs/configuration.md.

#pragma once

#include <chrono>
#include <string>

#include "holdfast/client.h"
#include "holdfast/log.h"
#include "holdfast/metrics.h"
#include "holdfast/retry.h"
#include "holdfast/subscription.h"

namespace holdfast::inline v0 {

struct ClientOptions {
  // How long a lease lasts unless it is renewed. Holdfast renews it soon after the
  // grant, and then after each third of this time. A ttl in the configuration file
  // wins.
  std::chrono::milliseconds ttl{30'000};

  // The text that other clients see for this client's claims; a payload in the
  // configuration file wins. Empty stands for "host:pid:program"; see
  // holdfast/holder.h.
  std::string payload = {};

  // Where log lines go. Empty stands for stderr; see holdfast/log.h.
  LogSink log = {};

  // Hooks for counters and histograms, or null. They must outlive the client.
  Metrics* metrics = nullptr;

  // How a server that does not answer is tried again. What the URL or the configuration
  // file says wins. `local` opens its file in the same way.
  RetryPolicy retry = {};

  // Where the completions of asynchronous calls run, see holdfast/completion.h. Empty
  // stands for the client's runner, a thread of its own. It must not throw, must not
  // call the completion inside itself, and may be called by any thread.
  Executor executor = {};
};

}  // namespace holdfast::inline v0
