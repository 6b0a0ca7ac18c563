// SPDX-License-Identifier: Apache-2.0

#include "options.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "engine_log.h"
#include "exit_codes.h"
#include "holdfast/engine/session.h"
#include "say.h"
#include "secrets.h"
#include "suggest.h"

namespace holdfast::cli {
namespace {

class Help : public CLI::Formatter {
 public:
  explicit Help(std::string synopsis) : synopsis_(std::move(synopsis)) {
    column_width(34);
  }
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: holdfast " + synopsis_ + "\n";
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    return option->get_items_expected_max() > 0 ? " " + type : "";
  }

 private:
  std::string synopsis_;
};

// Returns the engine of a URL's scheme, such as "redis" for "rediss+cluster".
std::string engine_of(std::string scheme) {
  scheme.resize(std::min(scheme.find('+'), scheme.size()));
  const std::string known = " " + std::string(engines()) + " ";
  const bool is_name = known.find(" " + scheme + " ") != std::string::npos;
  if (!is_name && scheme.ends_with('s')) scheme.pop_back();
  return scheme;
}

// Returns the engine in a file that the library has already accepted.
std::string type_in(const std::string& config) {
  std::ifstream file(config);
  for (std::string line; std::getline(file, line);) {
    std::erase_if(line, [](char c) { return c == ' ' || c == '\t' || c == '"'; });
    if (line.starts_with("type=")) return line.substr(5);
    if (line.starts_with("url=")) return engine_of(line.substr(4, line.find(':') - 4));
  }
  return {};
}

// Returns what CLI11 found wrong, as a sentence like the program's own. The words of
// the user that it repeats may be very long and have several lines.
std::string in_plain_words(const std::string& error) {
  const std::string all = printable(error);
  std::string_view said = all;
  const auto skip = [&](std::string_view words) {
    const bool begins = said.starts_with(words);
    if (begins) said.remove_prefix(words.size());
    return begins;
  };
  const auto take_until = [&](std::string_view words) {
    const auto end = std::min(said.find(words), said.size());
    std::string before(said.substr(0, end));
    said.remove_prefix(std::min(end + words.size(), said.size()));
    return before;
  };
  if (skip("The following argument was not expected: ")) {
    return "'" + std::string(said) + "' is one argument too many";
  }
  if (skip("The following arguments were not expected: ")) {
    return "too many arguments: " + std::string(said);
  }
  if (skip("Could not convert: ")) {
    const std::string option = take_until(" = ");
    return option + ": '" + std::string(said) + "' is not a whole number";
  }
  const std::string option = take_until(": ");
  if (skip("Value ")) {
    const std::string value = take_until(" not in range ");
    return option + ": '" + value + "' is not a whole number from " + std::string(said);
  }
  if (skip("1 required ")) return option + " needs a " + take_until(" missing");
  return all;
}

bool asks_for_json(const std::vector<std::string>& args) {
  const auto end = std::find(args.begin(), args.end(), "--");
  return std::find(args.begin(), end, "--json") != end;
}

std::function<void(const Verb&)>& description_listener() {
  static std::function<void(const Verb&)> listener;
  return listener;
}

void speak_as(const CommonOptions& options) {
  const auto least = log_level_from_environment();
  set_output({.json = options.json,
              .quiet = options.quiet,
              .least = least ? *least : LogLevel::warning});
  if (!least) warn(least.error().message());
}

std::string chosen_url(const CommonOptions& options) {
  const char* inherited = ::secure_getenv("HOLDFAST_URL");
  return !options.url.empty() ? options.url : inherited != nullptr ? inherited : "";
}

}  // namespace

// Everything before the last @ may be a part of a password.
std::string CommonOptions::server() const {
  if (!config.empty()) {
    std::error_code ignored;
    return "config:" + std::filesystem::absolute(config, ignored).string();
  }
  const std::string chosen = chosen_url(*this);
  if (chosen.empty()) return "local:";
  const auto host = chosen.rfind('@');
  if (host == std::string::npos) return chosen;
  return chosen.substr(0, chosen.find(':')) + "://" + chosen.substr(host + 1);
}

std::string CommonOptions::engine() const {
  if (!config.empty()) return type_in(config);
  const std::string chosen = chosen_url(*this);
  return chosen.empty() ? "local" : engine_of(chosen.substr(0, chosen.find(':')));
}

std::string CommonOptions::as_arguments() const {
  std::string text;
  if (!url.empty() && url.find('@') == std::string::npos) {
    text += " --url " + shell_word(url);
  }
  if (!config.empty()) text += " --config " + shell_word(config);
  return text;
}

Timeout WaitLimit::timeout() const noexcept {
  if (now) return Timeout::zero();
  return span ? Timeout(*span) : Timeout::forever();
}

Verb::Verb(std::string name, const std::string& synopsis, std::string purpose)
    : name_(std::move(name)),
      synopsis_(synopsis),
      app_(std::move(purpose), "holdfast " + name_) {
  app_.formatter(std::make_shared<Help>(name_ + " " + synopsis));
  app_.get_help_ptr()->description("This text");
}

void Verb::add_common(CommonOptions& options) {
  auto* url = app_.add_option("--url", options.url,
                              "The engine; otherwise HOLDFAST_URL, local:")
                  ->type_name("URL")
                  ->each([](const std::string& text) {
                    if (!text.empty()) return;
                    throw CLI::ValidationError("an empty URL names no engine");
                  });
  app_.add_option("--config", options.config, "A file that chooses the engine")
      ->type_name("FILE")
      ->excludes(url);
  add_output(options);
}

void Verb::add_output(CommonOptions& options) {
  app_.add_flag("--json", options.json, "Write JSON, also for an error");
  app_.add_flag("-q,--quiet", options.quiet,
                "No warnings, and no sentence for exit status 1 and 75");
  common_ = &options;
}

void Verb::add_wait(WaitLimit& options, const std::string& for_what) {
  auto* now =
      app_.add_flag("-n,--nb,--nonblock", options.now, "Do not wait " + for_what);
  add_duration("-w,--wait,--timeout", options.span, "Wait at most so long")
      ->excludes(now);
}

Duration Verb::require_duration(const std::string& text) {
  const auto span = parse_duration(text);
  if (!span) {
    throw CLI::ValidationError("'" + printable(text) +
                               "' is not a duration: write 500ms, 3s, 2m, 1h or 1d; a "
                               "number alone is in seconds");
  }
  return *span;
}

std::optional<int> Verb::parse(std::vector<std::string> args) {
  if (description_listener()) {
    description_listener()(*this);
    return kOk;
  }
  // An error in the command line is reported in the form that this command line asks
  // for.
  set_output({.json = asks_for_json(args)});
  try {
    std::reverse(args.begin(), args.end());
    app_.parse(std::move(args));
    if (common_ != nullptr) speak_as(*common_);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    print(app_.help());
    return kOk;
  } catch (const CLI::ExtrasError& e) {
    return misused(name_, unknown_option(app_).value_or(in_plain_words(e.what())));
  } catch (const CLI::ParseError& e) {
    return misused(name_, in_plain_words(e.what()));
  }
}

void describe_instead(std::function<void(const Verb&)> listener) {
  description_listener() = std::move(listener);
}

Result<Client> open_client(const CommonOptions& options, ClientOptions client) {
  if (keep_secret(options.url)) {
    warn(
        "a password in --url can be seen in the list of processes; put the URL into "
        "HOLDFAST_URL or a --config file");
  }
  if (const char* url = ::secure_getenv("HOLDFAST_URL")) keep_secret(url);
  EngineLog lines(options.server());
  if (!client.log) client.log = lines.sink();
  auto opened = options.config.empty() ? Client::open(options.url, client)
                                       : Client::from_config(options.config, client);
  lines.opened(opened ? opened->session().warnings() : std::vector<std::string>());
  return opened;
}

Result<Client> open_observer(const CommonOptions& options) {
  ClientOptions quiet;
  quiet.log = [](LogLevel, std::string_view) {};
  return open_client(options, std::move(quiet));
}

}  // namespace holdfast::cli
