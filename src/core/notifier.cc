// SPDX-License-Identifier: Apache-2.0

#include "core/notifier.h"

#include <exception>
#include <utility>

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;

// This many callbacks may block at once before others have to wait for them.
constexpr std::size_t kMostThreads = 64;

// If a callback takes longer than this, another thread runs those behind it.
constexpr std::chrono::nanoseconds kPatience = 5ms;

}  // namespace

Notifier::Notifier()
    : pool_({.name = "hf-notify", .most = kMostThreads, .patience = kPatience}) {}

bool Notifier::try_post(std::function<void()> task) {
  return pool_.post(std::move(task));
}

bool Notifier::try_post(const std::stop_source& source) noexcept {
  if (!source.stop_possible()) return true;
  try {
    return try_post([source]() mutable { source.request_stop(); });
  } catch (const std::exception&) {  // no memory
    return false;
  }
}

void Notifier::post(const std::function<void()>& task) {
  if (!try_post(task)) task();
}

void Notifier::post(const std::stop_source& source) {
  if (!try_post(source)) source.request_stop();
}

void Notifier::stop() noexcept { pool_.stop(); }

}  // namespace holdfast::core
