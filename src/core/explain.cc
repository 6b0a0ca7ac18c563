#include "core/explain.h"

#include <algorithm>

#include "base/durations.h"
#include "core/hub.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;

// The caller's wait is over: what is only said to a person must not prolong it by much.
constexpr std::chrono::nanoseconds kTimeToExplain = 500ms;

std::string_view word_for(engine::Kind kind) noexcept {
  switch (kind) {
    case engine::Kind::semaphore:
      return "semaphore";
    case engine::Kind::election:
      return "election";
    case engine::Kind::double_barrier:
      return "barrier";
    default:
      return "lock";
  }
}

std::string describe(const engine::Entry& holder) {
  std::string text = holder.payload.empty() ? holder.owner : holder.payload;
  if (holder.since) {
    const auto age = std::chrono::system_clock::now() - *holder.since;
    // Engines count whole seconds.
    const auto seconds = std::chrono::floor<std::chrono::seconds>(age);
    text += seconds.count() < 2 ? std::string(" since a moment ago")
                                : " since " + base::spell_duration(seconds);
  }
  if (holder.token) text += " (token " + std::to_string(holder.token.value) + ")";
  return text;
}

}  // namespace

std::string explain_timeout(const Bound& bound, Timeout wait) {
  constexpr std::size_t kEnough = 4;
  std::string text =
      std::string(word_for(bound.kind())) + " \"" + std::string(bound.name()) + "\" ";
  const auto until = std::min(bound.call_deadline(), Clock::now() + kTimeToExplain);
  const auto entries = bound.resource().survey(kEnough, until);
  if (entries) {
    const auto holder = std::find_if(entries->begin(), entries->end(),
                                     [](const auto& entry) { return entry.granted; });
    if (holder != entries->end()) return text + "is held by " + describe(*holder);
  }
  return text + "was not granted within " + base::spell_duration(wait.span());
}

}  // namespace holdfast::core
