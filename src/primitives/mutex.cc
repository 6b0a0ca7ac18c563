#include "holdfast/mutex.h"

#include <utility>
#include <variant>

#include "core/hub.h"
#include "core/seat.h"

namespace holdfast {

class Mutex::Impl {
 public:
  Impl(engine::Kind kind, Client client, std::string name, const LeaseOptions& lease)
      : client_(std::move(client)), lease_(lease) {
    auto bound = bind(kind, name);
    if (bound) {
      seat_.emplace<core::Seat>(*std::move(bound));
    } else {
      seat_ = std::unique_ptr<Unbound>(
          new Unbound{std::move(name), std::move(bound).error()});
    }
  }

  // Null: the name could not be bound, and `unbound()` says why.
  core::Seat* seat() noexcept { return std::get_if<core::Seat>(&seat_); }
  const Failure& unbound() const noexcept { return std::get<0>(seat_)->why; }
  const Client& client() const noexcept { return client_; }
  const LeaseOptions& lease() const noexcept { return lease_; }
  bool light() const noexcept { return core::Seat::fits_light(lease_); }
  std::string_view name() noexcept {
    if (core::Seat* const bound = seat()) return bound->bound()->name();
    return std::get<0>(seat_)->name;
  }

 private:
  struct Unbound {
    std::string name;
    Failure why;
  };

  Result<core::BoundPtr> bind(engine::Kind kind, const std::string& name) const {
    if (kind == engine::Kind::fair_mutex && !client_.traits(kind).orders) {
      return Failure(Errc::unsupported,
                     "this engine does not grant locks in order of arrival");
    }
    return client_.hub()->bind({kind, name});
  }

  const Client client_;
  const LeaseOptions lease_;
  std::variant<std::unique_ptr<Unbound>, core::Seat> seat_;
};

Mutex::Mutex(Client client, std::string name, LeaseOptions lease)
    : Mutex(engine::Kind::mutex, std::move(client), std::move(name), lease) {}

Mutex::Mutex(engine::Kind kind, Client client, std::string name,
             const LeaseOptions& lease)
    : impl_(std::make_unique<Impl>(kind, std::move(client), std::move(name), lease)) {}

Mutex::~Mutex() = default;

Result<Hold> Mutex::acquire(const AcquireOptions& options) {
  core::Seat* const seat = impl_->seat();
  if (seat == nullptr) return impl_->unbound();
  auto grip = core::Grip::take(impl_->client().hub(), seat->bound(),
                               {impl_->lease(), options.wait, &options.stop});
  if (!grip) return std::move(grip).error();
  return core::Grip::to_hold(*std::move(grip));
}

void Mutex::lock() {
  core::Seat* const seat = impl_->seat();
  if (seat == nullptr) throw Error(impl_->unbound());
  const bool light = impl_->light();
  if (light && seat->take_at_once()) return;
  core::Want want{impl_->lease()};
  want.tried = light;
  seat->take(want).value();
}

bool Mutex::try_lock() { return try_lock_for(Timeout::zero()); }

bool Mutex::try_lock_for(Timeout wait) {
  core::Seat* const seat = impl_->seat();
  if (seat == nullptr) throw Error(impl_->unbound());
  constexpr bool kExplain = false;
  const auto taken = seat->take({impl_->lease(), wait, nullptr, kExplain});
  if (!taken && taken.error().code == Errc::timed_out) return false;
  taken.value();
  return true;
}

void Mutex::unlock() noexcept {
  if (core::Seat* const seat = impl_->seat()) {
    (void)seat->give_up(core::Confirm::no);
  }
}

FencingToken Mutex::token() const noexcept {
  const core::Seat* const seat = impl_->seat();
  return seat != nullptr ? seat->token() : FencingToken{};
}

std::stop_token Mutex::lost() const noexcept {
  const core::Seat* const seat = impl_->seat();
  return seat != nullptr ? seat->lost() : core::already_lost();
}

std::string_view Mutex::name() const noexcept { return impl_->name(); }

}  // namespace holdfast
