// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/engine_log.h - what the engine and the library have to say.
//
//   EngineLog log(server);
//   client_options.log = log.sink();
//   auto client = Client::try_open(url, client_options);
//   log.opened(client->session().warnings());
//
// What an engine warns of when it is opened is true for every run of a cron job. So it
// is said once a day for each server, and remembered in files under XDG_CACHE_HOME
// (or ~/.cache). Where they cannot be written it is said each time.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "holdfast/log.h"

namespace holdfast::cli {

class EngineLog {
 public:
  explicit EngineLog(std::string server);

  // Keeps the lines that come before `opened`, and says those that come later.
  LogSink sink() const;

  // Says what was kept; of `warnings` those that were not said within a day.
  void opened(const std::vector<std::string>& warnings);

 private:
  struct Kept;

  std::string server_;
  std::shared_ptr<Kept> kept_;
};

// Whether nobody has said it about this server within a day; then somebody has now.
bool first_today(const std::string& server, const std::string& warning);

}  // namespace holdfast::cli
