// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/options.h - what every verb understands: --url, --config, --json, -q;
// and those that wait: -n, -w.

#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "duration.h"
#include "holdfast/client_options.h"
#include "holdfast/result.h"
#include "holdfast/timeout.h"

namespace holdfast::cli {

struct CommonOptions {
  std::string url;
  std::string config;
  bool json = false;
  bool quiet = false;

  // Returns the same choice of engine as arguments of another command line: " --url X".
  // A URL that holds a password is left out.
  std::string as_arguments() const;

  // Returns a text that tells one server from another, without user and password.
  std::string server() const;

  // Returns the engine that the options choose, such as "local". REQUIRES: a client was
  // opened with them.
  std::string engine() const;
};

struct WaitLimit {
  bool now = false;              // -n
  std::optional<Duration> span;  // -w

  bool given() const noexcept { return now || span; }
  Timeout timeout() const noexcept;
};

// This is the command line of one verb. `synopsis` is what follows the program's name.
class Verb {
 public:
  Verb(std::string name, const std::string& synopsis, std::string purpose);

  CLI::App& app() noexcept { return app_; }
  const CLI::App& app() const noexcept { return app_; }
  void add_common(CommonOptions& options);
  void add_output(CommonOptions& options);  // the part of add_common for a verb without
                                            // an engine
  void add_wait(WaitLimit& options, const std::string& for_what);

  // `into` is a Duration or an optional one.
  template <class D>
  CLI::Option* add_duration(const std::string& flags, D& into,
                            const std::string& help) {
    return app_
        .add_option_function<std::string>(
            flags, [&into](const std::string& text) { into = require_duration(text); },
            help)
        ->type_name("DUR");
  }

  // Returns nothing if the arguments were parsed; messages then follow the options.
  // Otherwise it returns the exit code: help was asked for, or 64 after a message.
  std::optional<int> parse(std::vector<std::string> args);

  // Sets the words that may follow NAME, for completions.
  void set_actions(std::vector<std::string> names) { actions_ = std::move(names); }

  const std::string& name() const noexcept { return name_; }
  const std::string& synopsis() const noexcept { return synopsis_; }
  const std::vector<std::string>& actions() const noexcept { return actions_; }

 private:
  static Duration require_duration(const std::string& text);

  std::string name_;
  std::string synopsis_;
  std::vector<std::string> actions_;
  CLI::App app_;
  const CommonOptions* common_ = nullptr;
};

// From now on a verb that is entered does not parse or act: `listener` gets its table.
// Null restores the normal behaviour.
void describe_instead(std::function<void(const Verb&)> listener);

// Opens the client that the options choose. Warns of a password on the command line,
// and shows the engine's warnings once a day.
Result<Client> open_client(const CommonOptions& options, ClientOptions client = {});

// Opens a client for a verb that only reads; the engine's warnings do not concern it.
Result<Client> open_observer(const CommonOptions& options);

}  // namespace holdfast::cli
