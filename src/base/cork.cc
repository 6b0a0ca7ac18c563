// SPDX-License-Identifier: Apache-2.0

#include "base/cork.h"

#include <algorithm>
#include <span>
#include <utility>

namespace holdfast::base {
namespace {

constinit thread_local Cork* cork_of_this_thread = nullptr;

}  // namespace

Cork::Cork() noexcept : outer_(std::exchange(cork_of_this_thread, this)) {}

Cork::~Cork() {
  cork_of_this_thread = outer_;
  flush();
}

void Cork::flush() noexcept {
  const std::size_t count = std::exchange(count_, 0);
  for (auto& outlet : std::span(held_).first(count)) {
    std::exchange(outlet, nullptr)->flush();
  }
}

Cork::Lifted::Lifted() noexcept : cork_(std::exchange(cork_of_this_thread, nullptr)) {
  for (Cork* each = cork_; each != nullptr; each = each->outer_) each->flush();
}

Cork::Lifted::~Lifted() { cork_of_this_thread = cork_; }

bool Cork::hold(std::shared_ptr<Outlet> outlet) noexcept {
  Cork* const cork = cork_of_this_thread;
  if (cork == nullptr) return false;
  const auto held = std::span(cork->held_).first(cork->count_);
  if (std::ranges::find(held, outlet) != held.end()) return true;
  if (cork->count_ == cork->held_.size()) return false;
  cork->held_[cork->count_++] = std::move(outlet);
  return true;
}

}  // namespace holdfast::base
