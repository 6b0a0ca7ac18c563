// SPDX-License-Identifier: Apache-2.0

#include "report.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <vector>

#include "duration.h"
#include "holdfast/holder.h"
#include "say.h"

namespace holdfast::cli {
namespace {

using std::chrono::system_clock;

std::string quote_printable(std::string_view name) {
  return "\"" + printable(name) + "\"";
}

std::string headline(const engine::Address& address) {
  switch (address.kind) {
    case engine::Kind::semaphore:
      return "the permits of " + quote_printable(address.name) + " are taken";
    case engine::Kind::election:
      return "another candidate leads " + quote_printable(address.name);
    default:
      return "lock " + quote_printable(address.name) + " is held";
  }
}

// Returns the lines "For    : ...", "In     : ...", "Since  : ...   Lease: ..." and
// "Token  : ...", as far as they are known.
std::vector<std::string> facts(const engine::Entry& entry) {
  std::vector<std::string> lines;
  const Holder holder = read_holder(entry.payload);
  if (!holder.description.empty()) {
    lines.push_back("For    : " + printable(holder.description));
  }
  if (!holder.function.empty()) {
    lines.push_back("In     : " + printable(holder.function));
  }
  if (!holder.thread.empty()) {
    lines.push_back("Thread : " + printable(holder.thread));
  }
  std::string time;
  if (entry.since) time = "Since  : " + since(*entry.since);
  if (entry.left) {
    time += time.empty() ? "Lease  : " : "   Lease: ";
    time += format_duration(*entry.left) + " left";
  }
  if (!time.empty()) lines.push_back(time);
  if (entry.token) lines.push_back("Token  : " + std::to_string(entry.token.value));
  return lines;
}

// Returns `web-07 pid 4121 (report.sh) for "nightly run"`.
std::string who_and_why(const engine::Entry& entry) {
  const Holder holder = read_holder(entry.payload);
  if (holder.description.empty()) return who(entry);
  return who(entry) + " for " + quote_printable(holder.description);
}

std::string summary(const ResourceStatus& status) {
  if (!is_claim_kind(status.address.kind)) {
    return "value " + std::to_string(status.value->number);
  }
  std::string text;
  for (const engine::Entry& entry : status.holders) {
    if (!text.empty()) text += ", ";
    text += who_and_why(entry);
  }
  if (text.empty() && status.value) {
    const std::int64_t permits = status.value->number;
    text = std::to_string(permits) + (permits == 1 ? " permit" : " permits");
  }
  return text;
}

std::string join(const std::vector<std::array<std::string, 5>>& rows) {
  std::array<std::size_t, 5> width{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      width[i] = std::max(width[i], row[i].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      text += row[i] + std::string(width[i] - row[i].size() + 2, ' ');
    }
    text += row.back() + "\n";
  }
  return text;
}

}  // namespace

std::string who(const engine::Entry& entry) {
  const Holder holder = read_holder(entry.payload);
  if (holder.pid == 0) {
    return printable(holder.text.empty() ? entry.owner : holder.text);
  }
  std::string text = holder.host + " pid " + std::to_string(holder.pid);
  if (!holder.program.empty()) text += " (" + holder.program + ")";
  return printable(text);
}

std::string since(system_clock::time_point then) {
  const std::time_t seconds = system_clock::to_time_t(then);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%SZ", &utc);
  const auto ago = std::max(system_clock::now() - then, system_clock::duration::zero());
  return std::string(text.data()) + " (" + format_duration(ago) + " ago)";
}

namespace {

// Returns one sentence. If there are several holders, it names the first few, and not
// since when.
std::string conflict_sentence(const ResourceStatus& status) {
  constexpr std::size_t kMostNamed = 3;
  const std::size_t count = status.holders.size();
  std::string text = headline(status.address);
  for (std::size_t i = 0; i < std::min(count, kMostNamed); ++i) {
    const bool leads = status.address.kind == engine::Kind::election;
    text += (i != 0 ? ", " : leads ? ": " : " by ") + who_and_why(status.holders[i]);
  }
  if (count > kMostNamed)
    text += " and " + std::to_string(count - kMostNamed) + " more";
  if (count != 1) return text;
  const engine::Entry& only = status.holders.front();
  if (only.since) text += " since " + since(*only.since);
  if (only.token) text += ", token " + std::to_string(only.token.value);
  return text;
}

std::string unlock_command(const std::string& name, FencingToken token,
                           std::string_view arguments) {
  const std::string how =
      (token ? " --token " + std::to_string(token.value) : std::string(" --force")) +
      std::string(arguments);
  const std::string unlock = "holdfast unlock";
  return name.starts_with('-') ? unlock + how + " -- " + shell_word(name)
                               : unlock + " " + shell_word(name) + how;
}

std::string conflict_text(const ResourceStatus& status, std::string_view arguments) {
  std::string text = "holdfast: " + headline(status.address) + "\n";
  for (const engine::Entry& entry : status.holders) {
    text += "  Holder : " + who(entry) + "\n";
    for (const std::string& line : facts(entry)) text += "  " + line + "\n";
  }
  const std::size_t waiting = status.waiters.size();
  text += "  Waiting: " + std::to_string(waiting) + " (you would be #" +
          std::to_string(waiting + 1) + ")\n";
  if (status.holders.size() == 1) {
    text +=
        "  To free it by force: " +
        unlock_command(status.address.name, status.holders.front().token, arguments) +
        "\n";
  }
  return text;
}

}  // namespace

ErrorReport conflict(const ResourceStatus& status, std::string_view arguments,
                     int exit_code) {
  Json resource;
  write_json(resource, status);
  return {.error = "held",
          .message = conflict_sentence(status),
          .exit_code = exit_code,
          .resource = resource.bare(),
          .on_terminal = conflict_text(status, arguments),
          .expected = true};
}

std::string table_text(std::span<const ResourceStatus> statuses) {
  std::vector<std::array<std::string, 5>> rows{
      {"KIND", "HELD", "WAITING", "NAME", "HOLDER"}};
  for (const ResourceStatus& status : statuses) {
    const bool claims = is_claim_kind(status.address.kind);
    rows.push_back({std::string(kind_name(status.address.kind)),
                    claims ? std::to_string(status.holders.size()) : "-",
                    claims ? std::to_string(status.waiters.size()) : "-",
                    printable(status.address.name), summary(status)});
  }
  return join(rows);
}

std::string detail_text(const ResourceStatus& status) {
  std::string text = std::string(kind_name(status.address.kind)) + " " +
                     quote_printable(status.address.name) + "\n";
  const bool claims = is_claim_kind(status.address.kind);
  if (status.value) {
    text += claims ? "  Permits: " : "  Value  : ";
    text += std::to_string(status.value->number) + "\n";
  }
  if (!claims) return text;
  for (const engine::Entry& entry : status.holders) {
    text += "  Holder : " + who(entry) + "\n";
    std::string mode = entry.mode == engine::Mode::shared ? "shared" : "exclusive";
    if (entry.permits != 1) mode += ", " + std::to_string(entry.permits) + " permits";
    text += "  Mode   : " + mode + "\n";
    for (const std::string& line : facts(entry)) text += "  " + line + "\n";
    if (!entry.since) text += "  Since  : not recorded (yet)\n";
  }
  if (status.holders.empty()) text += "  Holder : none\n";
  std::size_t place = 0;
  for (const engine::Entry& entry : status.waiters) {
    text += "  Waiter : #" + std::to_string(++place) + " " + who_and_why(entry);
    if (entry.mode == engine::Mode::shared) text += ", shared";
    if (entry.since) text += ", since " + since(*entry.since);
    text += "\n";
  }
  return text;
}

}  // namespace holdfast::cli
