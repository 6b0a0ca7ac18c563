// SPDX-License-Identifier: Apache-2.0

#include "async/relay.h"

#include <stdexcept>
#include <utility>

#include "timing.h"

namespace holdfast::bench::async {

constexpr std::chrono::minutes kPatience(5);

Relay::Relay(const Client& client, const std::string& name, std::int64_t grants)
    : client_(client), mutex_(client, name), grants_(grants), left_(grants) {}

Relay::~Relay() {
  if (released_ != grants_) client_.close();
}

void Relay::enter(std::int64_t waiters) {
  for (std::int64_t i = 0; i < waiters && take_turn(); ++i) wait();
}

void Relay::enter_threads(std::int64_t waiters) {
  for (std::int64_t i = 0; i < waiters && take_turn(); ++i) {
    threads_.emplace_back([this] { run_thread(); });
  }
}

void Relay::begin(Hold hold) {
  last_ = hold.token();
  began_ns_ = release_ns_ = now_ns();
  hold.release().value();
}

void Relay::end() {
  if (all_released_.get_future().wait_for(kPatience) != std::future_status::ready) {
    throw std::runtime_error("of " + std::to_string(grants_) + " grants only " +
                             std::to_string(released_) + " came in five minutes");
  }
  threads_.clear();
}

void Relay::wait() {
  mutex_.acquire_async([this](Result<Hold> hold) { on_grant(std::move(hold)); });
}

void Relay::on_grant(Result<Hold> hold) {
  if (!hold) return;  // The client was closed.
  note(hold->token());
  hold->release_async([this](const Result<void>& released) {
    if (released) count_release();
  });
  if (take_turn()) wait();
}

void Relay::run_thread() try {
  do {
    Hold hold = mutex_.acquire().value();
    note(hold.token());
    hold.release().value();
    count_release();
  } while (take_turn());
} catch (const Error&) {
  // The client was closed; end() says that a grant is missing.
}

void Relay::note(FencingToken token) {
  const std::int64_t now = now_ns();
  handovers_.add(now - release_ns_);
  if (token <= last_) ++stale_;
  last_ = token;
  release_ns_ = now_ns();
}

void Relay::count_release() {
  if (released_.fetch_add(1) + 1 != grants_) return;
  ended_ns_ = now_ns();
  all_released_.set_value();
}

}  // namespace holdfast::bench::async
