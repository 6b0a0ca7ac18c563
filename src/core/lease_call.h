// SPDX-License-Identifier: Apache-2.0

// core/lease_call.h - waits for a lease without a thread.

#pragma once

#include <memory>
#include <utility>

#include "core/access.h"
#include "core/acquisition.h"
#include "core/call.h"
#include "core/lease.h"

namespace holdfast::core {

// What an asynchronous acquisition asks for, as in AcquireRequest.
struct LeaseRequest {
  LeaseOptions lease;
  WaitOptions options;
  bool explain = true;
  engine::Mode mode = engine::Mode::exclusive;
  std::uint32_t permits = 1;
  std::uint32_t capacity = 0;
  std::string_view payload = {};  // has to live as long as the call that starts it
};

// An operation (core/call.h). `Wrap` makes the result for the caller: it takes a
// Result<std::shared_ptr<Lease>> and returns a Result<T>. If it has a `granted`, that
// sees the grant before. Its `undo`, if it has one, is the operation's.
template <class T, class Wrap>
class LeaseCall {
 public:
  LeaseCall(BoundResourcePtr bound, const LeaseRequest& request, Wrap wrap)
      : bound_(std::move(bound)),
        lease_(request.lease),
        stop_(request.options.stop),
        request_{.lease = lease_,
                 .wait = request.options.wait,
                 .stop = &stop_,
                 .explain = request.explain,
                 .mode = request.mode,
                 .permits = request.permits,
                 .capacity = request.capacity,
                 .payload = request.payload},
        wrap_(std::move(wrap)),
        acquisition_(bound_, request_, Acquisition::Form::asynchronous) {}

  std::optional<WaitLoop::Step> begin(const engine::Waker& waker) {
    return acquisition_.begin(waker);
  }

  Result<WaitLoop::Step> step(const engine::Waker& waker) {
    return acquisition_.step(waker);
  }
  Result<T> finish(const Result<void>& ended,
                   const std::shared_ptr<ClientState>& client) {
    const auto start = acquisition_.finish(ended);
    if constexpr (requires { wrap_.granted(*bound_, *start); }) {
      if (start) wrap_.granted(*bound_, *start);
    }
    return wrap_(
        Lease::begin(client, bound_, start, lease_, acquisition_.take_storage()));
  }
  std::string_view name() const noexcept { return bound_->name(); }
  auto undo() requires requires(Wrap& wrap) { wrap.undo(); }
  { return wrap_.undo(); }

 private:
  const BoundResourcePtr bound_;
  const LeaseOptions lease_;
  const std::stop_token stop_;
  const AcquireRequest request_;
  [[no_unique_address]] Wrap wrap_;
  Acquisition acquisition_;
};

// Wraps a lease into a T that is made of a Hold.
template <class T>
struct WrapHold {
  Result<T> operator()(Result<std::shared_ptr<Lease>> lease) const {
    if (!lease) return std::move(lease).error();
    return T(Access::hold(*std::move(lease)));
  }
};

template <class T, class Wrap>
void take_async(const std::shared_ptr<ClientState>& client,
                const BoundResourcePtr& bound, const LeaseRequest& request, Wrap wrap,
                Completion<T> done) {
  const bool waits = bound->bounded() && !bound->posts();
  start_call<T, LeaseCall<T, Wrap>>(client, waits, std::move(done), bound, request,
                                    std::move(wrap));
}

}  // namespace holdfast::core
