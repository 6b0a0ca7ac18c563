#include "engines/redis/waits.h"

#include <charconv>
#include <utility>

namespace holdfast::redis {

// scripts/README.md explains the messages "00", "01" and "017".
void Wait::heard(std::string_view message) noexcept {
  const bool ours = message.size() > 1 && message.front() == '0';
  if (heeds_all_ || !ours) waker_->ring();
}

// The scripts publish a ticket here, or "-ticket" when an operator has ended that
// claim.
class Waits::Doorbell final : public Listener {
 public:
  Doorbell(const Waits& waits, engine::Waker alarm) noexcept
      : waits_(waits), alarm_(std::move(alarm)) {}

  void heard(std::string_view message) noexcept override {
    std::int64_t number = 0;
    std::from_chars(message.data(), message.data() + message.size(), number);
    const auto ticket =
        engine::Ticket{static_cast<std::uint64_t>(number < 0 ? -number : number)};
    if (const auto wait = waits_.find(ticket)) wait->ring();
    if (number < 0) missed();
  }
  void missed() noexcept override {
    if (alarm_ != nullptr) alarm_->ring();
  }

 private:
  const Waits& waits_;
  const engine::Waker alarm_;
};

Waits::Waits(Bells& bells, std::string_view client, engine::Waker alarm)
    : bells_(bells),
      bell_("holdfast_bell:" + std::string(client)),
      doorbell_(std::make_shared<Doorbell>(*this, std::move(alarm))) {}

Waits::~Waits() { bells_.forget(bell_, *doorbell_); }

std::shared_ptr<Wait> Waits::find(engine::Ticket ticket) const {
  base::MutexLock lock(mutex_);
  const auto known = waits_.find(ticket);
  return known == waits_.end() ? nullptr : known->second;
}

Result<std::shared_ptr<Wait>> Waits::add(engine::Ticket ticket, engine::Waker waker,
                                         std::string channel, bool heeds_all,
                                         engine::Deadline until) {
  auto wait = std::make_shared<Wait>(std::move(waker), std::move(channel), heeds_all);
  {
    base::MutexLock lock(mutex_);
    waits_[ticket] = wait;
  }
  Result<void> heard;
  if (!bells_.hears(bell_)) heard = bells_.listen(bell_, doorbell_, until);
  auto also_heard = bells_.listen(wait->channel(), wait, until);
  if (!also_heard) heard = std::move(also_heard);
  if (!heard) return std::move(heard).error();
  return wait;
}

void Waits::remove(engine::Ticket ticket) noexcept {
  std::shared_ptr<Wait> wait;
  {
    base::MutexLock lock(mutex_);
    const auto known = waits_.find(ticket);
    if (known == waits_.end()) return;
    wait = std::move(known->second);
    waits_.erase(known);
  }
  bells_.forget(wait->channel(), *wait);
}

void Waits::open_door() {
  if (!bells_.hears(bell_)) {
    (void)bells_.listen(bell_, doorbell_, engine::Deadline{});
  }
}

bool Waits::hears(const std::string& channel) const {
  return bells_.hears(channel) && bells_.hears(bell_);
}

}  // namespace holdfast::redis
