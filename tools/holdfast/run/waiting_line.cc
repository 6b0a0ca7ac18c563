// SPDX-License-Identifier: Apache-2.0

#include "run/waiting_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "duration.h"
#include "report.h"
#include "say.h"

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;

// A wait that is shorter than the first span is not reported.
constexpr auto kFirst = 300ms;
constexpr auto kAgain = 1s;
constexpr std::size_t kUsualWidth = 80;

bool is_wanted(const RunOptions& options) {
  return !options.common.json && !options.common.quiet && !options.wait.is_zero() &&
         isatty(STDERR_FILENO) != 0;
}

// The last column stays free, because some terminals begin a new line there.
std::size_t width() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return (known ? size.ws_col : kUsualWidth) - 1;
}

// Returns as many bytes as fit, without half a character at the end.
std::string cut(std::string text, std::size_t columns) {
  if (text.size() <= columns) return text;
  text.resize(columns);
  while (!text.empty() && (text.back() & 0xC0) == 0x80) text.pop_back();
  if (!text.empty() && (text.back() & 0x80) != 0) text.pop_back();
  return text;
}

std::string place_in(const ResourceStatus& status, const std::string& payload) {
  const auto mine =
      std::find_if(status.waiters.begin(), status.waiters.end(),
                   [&](const engine::Entry& each) { return each.payload == payload; });
  if (mine == status.waiters.end()) return {};
  return ", you are #" + std::to_string(mine - status.waiters.begin() + 1);
}

}  // namespace

WaitingLine::WaitingLine(const Client& client, const RunOptions& options,
                         std::string payload)
    : client_(client), options_(options), payload_(std::move(payload)) {
  if (is_wanted(options)) thread_ = std::thread([this] { run(); });
}

WaitingLine::~WaitingLine() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  over_.notify_one();
  thread_.join();
  if (written_ != 0) write("");
}

void WaitingLine::run() {
  std::unique_lock lock(mutex_);
  for (auto pause = std::chrono::milliseconds(kFirst);
       !over_.wait_for(lock, pause, [this] { return is_over_; }); pause = kAgain) {
    lock.unlock();
    const std::string now = text();
    lock.lock();
    if (!is_over_) write(now);
  }
}

// If the engine is slow or gone, the wait itself will report it.
std::string WaitingLine::text() const {
  std::string text = "holdfast: waiting for \"" + printable(options_.name) + "\"";
  const auto status = inspect(client_, engine::Address{options_.kind, options_.name});
  if (!status || status->holders.empty()) return text;
  const engine::Entry& holder = status->holders.front();
  text += ": " + who(holder);
  const std::size_t others = status->holders.size() - 1;
  if (others != 0) text += " and " + std::to_string(others) + " more";
  text += others == 0 ? " has it" : " have it";
  if (holder.since) {
    const auto age = std::chrono::system_clock::now() - *holder.since;
    text += " for " + format_duration(std::max(age, decltype(age)::zero()));
  }
  return text + place_in(*status, payload_);
}

void WaitingLine::write(const std::string& text) {
  const std::string line = cut(text, width());
  const std::size_t rest = written_ > line.size() ? written_ - line.size() : 0;
  const std::string wiped = "\r" + line + std::string(rest, ' ') +
                            (line.empty() ? "\r" : std::string(rest, '\b'));
  (void)!::write(STDERR_FILENO, wiped.data(), wiped.size());
  written_ = line.size();
}

}  // namespace holdfast::cli
