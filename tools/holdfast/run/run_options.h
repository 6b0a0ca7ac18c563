// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/run_options.h - the command line of a verb that runs a command.

#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duration.h"
#include "exit_codes.h"
#include "holdfast/engine/claim.h"
#include "holdfast/lease.h"
#include "options.h"

namespace holdfast::cli {

enum class OnLost { term, kill, warn };

struct RunOptions {
  CommonOptions common;
  std::string verb;  // the verb if it takes -c, otherwise empty
  std::string name;
  std::vector<std::string> command;

  engine::Kind kind = engine::Kind::mutex;
  engine::Mode mode = engine::Mode::exclusive;  // for a shared mutex
  std::uint32_t permits = 0;                    // for a semaphore: how many there are
  std::string_view held = "lock";  // what is held, in a sentence before the name

  Timeout wait = Timeout::forever();
  int conflict_exit_code = kNotAcquired;
  LeaseOptions lease;
  Duration at_least{};

  Duration kill_after = std::chrono::seconds(5);
  int signal = SIGTERM;
  OnLost on_lost = OnLost::term;

  std::string payload;      // shown to others; empty means host, pid and command
  std::string description;  // the purpose, shown to others beside the payload
  bool close = false;
  bool foreground = false;
  bool preserve_status = false;
  bool show_command = false;
  bool verbose = false;
};

// These are the options that such verbs share. A verb adds its own to `app()`.
class RunLine {
 public:
  // `parse` fills `into`.
  RunLine(std::string verb, const std::string& synopsis, std::string purpose,
          RunOptions& into);

  CLI::App& app() noexcept { return verb_.app(); }

  // Returns nothing if the arguments were parsed; there may be no command. Otherwise
  // everything has been said, and it returns the exit code.
  std::optional<int> parse(std::vector<std::string> args);

 private:
  std::optional<int> take_words(std::vector<std::string> words);
  std::optional<int> take_texts();

  Verb verb_;
  RunOptions& into_;
  WaitLimit wait_;
  CLI::Option* verbose_;
  std::optional<std::string> shell_command_;
  std::string signal_ = "TERM";
  std::string on_lost_ = "term";
  std::optional<Duration> ttl_, lease_;
};

}  // namespace holdfast::cli
