// SPDX-License-Identifier: Apache-2.0

#include "run/signals.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cstring>
#include <string>

namespace holdfast::cli {
namespace {

constexpr std::array kPassedOn{SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                               SIGUSR1, SIGUSR2, SIGWINCH};

bool is_ignored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

std::optional<int> parse_signal(std::string_view text) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end) {
    if (number < 1 || number >= NSIG) return std::nullopt;
    return number;
  }
  std::string name(text);
  for (char& c : name)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (name.starts_with("SIG")) name.erase(0, 3);
  for (int each = 1; each < NSIG; ++each) {
    const char* known = sigabbrev_np(each);
    if (known != nullptr && name == known) return each;
  }
  return std::nullopt;
}

Inherited block_signals(sigset_t& passed_on) {
  sigemptyset(&passed_on);
  for (const int each : kPassedOn) {
    if (!is_ignored(each)) sigaddset(&passed_on, each);
  }
  Inherited inherited{};
  sigprocmask(SIG_BLOCK, &passed_on, &inherited.mask);
  return inherited;
}

Inherited take_over_signals(sigset_t& passed_on) {
  const Inherited inherited = block_signals(passed_on);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);
  return inherited;
}

void give_back_signals(const Inherited& inherited) {
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGCHLD, SIG_DFL);
  sigprocmask(SIG_SETMASK, &inherited.mask, nullptr);
}

}  // namespace holdfast::cli
