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
  for (const auto& outlet : std::span(held_).first(count_)) outlet->flush();
}

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
