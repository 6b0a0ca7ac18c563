// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/waiting_line.h - tells a person at a terminal what is waited for.
//
//   waiting for "job": web-07 pid 4121 (report.sh) has it for 12m, you are #2
//
// It is one line on standard error, rewritten every second and erased at the end.
// Nothing is written if standard error is not a terminal, or with --json.

#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "holdfast/client.h"
#include "run/run_options.h"

namespace holdfast::cli {

// The line is shown while the object lives. `payload` is what others see of this run;
// it finds our place in the queue.
class WaitingLine {
 public:
  WaitingLine(const Client& client, const RunOptions& options, std::string payload);
  WaitingLine(const WaitingLine&) = delete;
  WaitingLine& operator=(const WaitingLine&) = delete;
  ~WaitingLine();

 private:
  void run();
  std::string text() const;
  void write(const std::string& text);

  const Client& client_;
  const RunOptions& options_;
  const std::string payload_;
  std::size_t written_ = 0;  // in columns
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace holdfast::cli
