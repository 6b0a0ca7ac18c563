// SPDX-License-Identifier: Apache-2.0

// holdfast/engine/sent_call.h - calls in two halves: the request is sent now, and its
// answer is taken later.
//
// A caller that asks several servers can send all its requests first, and then wait for
// the answers in one poll(2), without a thread for each server. An engine need not have
// this: its resources then are no SplitCalls, and every call is made as a whole.
//
//   auto* const split = dynamic_cast<engine::SplitCalls*>(resource.get());
//   auto sent = split != nullptr ? split->send_attempt(claim) : nullptr;
//   if (sent == nullptr) return resource->attempt(claim, nullptr, until);
//   ...                                  // meanwhile, other servers are asked
//   return sent->take(until);

#pragma once

#include <memory>

#include "holdfast/engine/claim.h"
#include "holdfast/result.h"

namespace holdfast::inline v0::engine {

// A call whose request was sent. It must not outlive its resource. One thread uses it
// at a time. If it is destroyed before its answer was taken, the request may take
// effect all the same, as after a lost reply.
template <class T>
class SentCall {
 public:
  virtual ~SentCall() = default;

  // A descriptor that is readable once there is something for `is_ready` to look at. It
  // may change after each call of `is_ready`. -1 says that only `take` can go on.
  virtual int fd() const noexcept = 0;

  // Returns whether `take` would not wait. It looks at what has arrived, and does not
  // wait itself.
  virtual bool is_ready() = 0;

  // Waits for the answer, and returns what the whole call would have returned. It is
  // called once.
  virtual Result<T> take(Deadline until) = 0;
};

// The calls of a resource that can be made in two halves. Null says that nothing was
// sent, because that would have taken time: there is no connection, for instance. The
// caller then makes the whole call. The claim's payload must outlive the sent call.
class SplitCalls {
 public:
  virtual std::unique_ptr<SentCall<Verdict>> send_attempt(const Claim& claim) = 0;
  virtual std::unique_ptr<SentCall<void>> send_drop(const Claim& claim) = 0;

 protected:
  ~SplitCalls() = default;
};

}  // namespace holdfast::inline v0::engine
