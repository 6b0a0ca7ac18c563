#include "core/tenure.h"

#include <algorithm>
#include <utility>

namespace holdfast::core {
namespace {

std::uint64_t next_id() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

std::stop_token already_lost() {
  static const std::stop_token* const token = [] {
    std::stop_source source;
    source.request_stop();
    return new std::stop_token(source.get_token());
  }();
  return *token;
}

Tenure::Tenure(BoundPtr bound, const Grant& grant, Clock::time_point deadline) noexcept
    : bound_(std::move(bound)),
      claim_(grant.claim),
      turn_(grant.turn),
      id_(next_id()),
      deadline_(deadline.time_since_epoch().count()) {}

std::chrono::nanoseconds Tenure::valid_for() const noexcept {
  using Span = std::chrono::nanoseconds;
  if (!live()) return Span::zero();
  const Clock::time_point deadline(Clock::duration(deadline_.load()));
  if (deadline == Clock::time_point::max()) return Span::max();
  return std::max<Span>(deadline - Clock::now(), Span::zero());
}

void Tenure::extend(Clock::time_point deadline) noexcept {
  deadline_.store(deadline.time_since_epoch().count());
}

}  // namespace holdfast::core
