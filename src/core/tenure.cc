#include "core/tenure.h"

#include <algorithm>
#include <utility>

#include "base/stripes.h"

namespace holdfast::core {
namespace {

std::uint64_t next_id() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

constinit base::Stripes tenure_stripes;

}  // namespace

std::stop_token already_lost() {
  static const std::stop_token* const token = [] {
    std::stop_source source;
    source.request_stop();
    return new std::stop_token(source.get_token());
  }();
  return *token;
}

Tenure::Tenure(BoundPtr bound, const engine::Claim& claim, std::uint64_t turn) noexcept
    : bound_(std::move(bound)),
      ticket_(claim.ticket),
      lease_(claim.lease),
      turn_(turn),
      id_(next_id()),
      permits_(claim.permits),
      mode_(claim.mode) {}

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

void Tenure::end_change(const engine::Claim& as) noexcept {
  permits_.store(as.permits);
  mode_.store(as.mode);
  ++changes_;
}

// The state is left before the source is looked at: a later call gets a token that has
// been requested, and the tokens of earlier calls are told.
std::stop_token Tenure::lost_token() const {
  base::MutexLock lock(tenure_stripes.of(this));
  if (!live()) return source_.stop_possible() ? source_.get_token() : already_lost();
  if (!source_.stop_possible()) source_ = std::stop_source();
  return source_.get_token();
}

std::stop_source Tenure::who_asked() const {
  base::MutexLock lock(tenure_stripes.of(this));
  return source_;
}

}  // namespace holdfast::core
