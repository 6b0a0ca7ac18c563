// SPDX-License-Identifier: Apache-2.0

// primitives/multi_hold.h - the holds of a MultiLock.

#pragma once

#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "holdfast/multi_lock.h"

namespace holdfast::inline v0 {

// A MultiHold points to it.
class MultiHold::Impl {
 public:
  // `order` has the indexes of the holds in the order in which they were taken.
  Impl(std::vector<Hold> holds, std::vector<std::size_t> order,
       std::shared_ptr<core::ClientState> client);
  ~Impl();

  const std::vector<Hold>& holds() const noexcept { return holds_; }

  // The client whose runner releases them asynchronously.
  const std::shared_ptr<core::ClientState>& client() const noexcept { return client_; }
  std::stop_token lost() const noexcept;
  std::chrono::nanoseconds valid_for() const noexcept;
  Result<void> release() noexcept;

  static MultiHold wrap(std::unique_ptr<Impl> impl) noexcept {
    return MultiHold(std::move(impl));
  }

 private:
  struct Tell {
    std::stop_source source;
    void operator()() noexcept { source.request_stop(); }
  };

  std::vector<Hold> holds_;
  const std::vector<std::size_t> order_;
  const std::shared_ptr<core::ClientState> client_;
  std::stop_source lost_;
  mutable std::once_flag asked_;  // for `lost()`
  mutable std::vector<std::unique_ptr<std::stop_callback<Tell>>> watches_;
};

}  // namespace holdfast::inline v0
