// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/engine_log.h - what the engine and the library have to say.
//
//   EngineLog log(server);
//   client_options.log = log.sink();
//   auto client = Client::open(url, client_options);
//   log.opened(client->session().warnings());
//
// The warnings of an engine when it is opened are the same for every run of a cron job.
// So each is shown once a day for each server, and remembered in files under
// XDG_CACHE_HOME (or ~/.cache). If these cannot be written, it is shown each time.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "holdfast/log.h"

namespace holdfast::cli {

class EngineLog {
 public:
  explicit EngineLog(std::string server);

  // Keeps the lines that come before `opened`, and shows those that come later.
  LogSink sink() const;

  // Shows the lines that were kept, and those of `warnings` that were not shown within
  // a day.
  void opened(const std::vector<std::string>& warnings);

 private:
  struct Buffer;

  std::string server_;
  std::shared_ptr<Buffer> buffer_;
};

// Returns whether this warning about this server was not shown within a day, and
// records that it is shown now.
bool first_today(const std::string& server, const std::string& warning);

}  // namespace holdfast::cli
