#include "engines/redis/requests.h"

#include <array>
#include <utility>

#include "engines/redis/dialer.h"
#include "engines/redis/link.h"

namespace holdfast::redis {

class Requests::Pool {
 public:
  Pool(Place place, std::function<void()> reconnected, std::function<void()> moved,
       const RetryPolicy& retry)
      : dialer_(std::move(place), std::move(reconnected), std::move(moved), retry) {
    for (auto& link : links_) link = std::make_unique<Link>(dialer_);
  }

  Result<void> call(std::string_view commands, std::span<Reply> replies,
                    engine::Deadline until) {
    auto done = call_on(enter(), commands, replies, until);
    if (done || done.error().code != Errc::unavailable) return done;
    // Nothing was sent. The server may have reached its limit of connections, so a
    // connection that is already open is used instead.
    for (const auto& link : links_) {
      if (!link->open()) continue;
      link->join();
      return call_on(*link, commands, replies, until);
    }
    return done;
  }

 private:
  static Result<void> call_on(Link& link, std::string_view commands,
                              std::span<Reply> replies, engine::Deadline until) {
    auto done = link.call(commands, replies, until);
    link.leave();
    return done;
  }

  // Chooses the connection that this thread used last, another idle one, a new one, or
  // the one with the fewest callers, in this order.
  Link& enter() {
    thread_local std::size_t last = 0;
    for (const bool open : {true, false}) {
      for (std::size_t i = 0; i < kMostLinks; ++i) {
        Link& link = *links_[(last + i) % kMostLinks];
        if (link.open() != open || !link.enter_idle()) continue;
        last = (last + i) % kMostLinks;
        return link;
      }
    }
    std::size_t best = last;
    for (std::size_t i = 0; i < kMostLinks; ++i) {
      if (links_[i]->users() < links_[best]->users()) best = i;
    }
    links_[best]->join();
    return *links_[best];
  }

  Dialer dialer_;
  std::array<std::unique_ptr<Link>, kMostLinks> links_;
};

Requests::Requests(Place place, std::function<void()> reconnected,
                   std::function<void()> moved, const RetryPolicy& retry)
    : pool_(std::make_unique<Pool>(std::move(place), std::move(reconnected),
                                   std::move(moved), retry)) {}

Requests::~Requests() = default;

Result<void> Requests::call(std::string_view commands, std::span<Reply> replies,
                            engine::Deadline until) {
  return pool_->call(commands, replies, until);
}

Result<Reply> Requests::call(std::string_view command, engine::Deadline until) {
  Reply reply;
  auto done = pool_->call(command, std::span(&reply, 1), until);
  if (!done) return std::move(done).error();
  return reply;
}

}  // namespace holdfast::redis
