// SPDX-License-Identifier: Apache-2.0

#include "core/bound_resource.h"

#include <cstring>
#include <new>

#include "core/client_state.h"
#include "core/gate.h"

namespace holdfast::core {

// Behind the object lies its gate, or a reference to the resource whose gate it shares;
// then comes the name.
BoundResourcePtr BoundResource::make(const engine::Address& address, Parts parts) {
  static_assert(sizeof(BoundResource) % alignof(Gate) == 0 && sizeof(Gate) < 64);
  const std::size_t tail = parts.gate_owner      ? sizeof(BoundResourcePtr)
                           : parts.process_queue ? sizeof(Gate)
                                                 : 0;
  void* const block =
      ::operator new(sizeof(BoundResource) + tail + address.name.size());
  return BoundResourcePtr(new (block) BoundResource(address, std::move(parts), tail));
}

BoundResource::BoundResource(const engine::Address& address, Parts parts,
                             std::size_t tail) noexcept
    : client_(parts.client),
      resource_(std::move(parts.resource)),
      size_(static_cast<std::uint16_t>(address.name.size())),
      kind_(address.kind),
      leased_(parts.leased),
      bounded_(parts.bounded),
      session_bound_(parts.session_bound),
      fifo_requests_(parts.fifo_requests),
      posts_(parts.posts),
      queues_(tail != 0),
      tail_(static_cast<std::uint8_t>(tail)) {
  char* const behind = reinterpret_cast<char*>(this + 1);
  std::memcpy(behind + tail, address.name.data(), size_);
  if (parts.gate_owner) {
    gate_.store(parts.gate_owner->gate());
    new (behind) BoundResourcePtr(std::move(parts.gate_owner));
  } else if (parts.process_queue) {
    gate_.store(new (behind) Gate);
  }
}

BoundResource::~BoundResource() {
  client_.unbind(*this);
  Gate* const gate = gate_of_turns();
  if (!queues_) {
    delete gate;
  } else if (static_cast<void*>(gate) == this + 1) {
    gate->~Gate();
  } else {
    reinterpret_cast<BoundResourcePtr*>(this + 1)->~BoundResourcePtr();
  }
}

// In a child of fork() the object is left as it is, because what its destructor would
// touch belongs to the parent.
void BoundResource::destroy() const noexcept {
  if (client_.forked()) return;
  this->~BoundResource();
  ::operator delete(const_cast<BoundResource*>(this));
}

// Where the engine grants a mutex in the order of arrival, as with a FairMutex, every
// call has to arrive at the engine.
Gate* BoundResource::gate_of_tasks() const {
  Gate* known = gate_of_turns();
  if (known != nullptr || kind_ != engine::Kind::mutex) return known;
  auto made = std::make_unique<Gate>();
  if (gate_.compare_exchange_strong(known, made.get())) return made.release();
  return known;
}

engine::Deadline BoundResource::call_deadline() const noexcept {
  return Clock::now() + client_.call_time();
}

BoundResourcePtr BoundResourcePtr::revive(const BoundResource& bound) noexcept {
  auto count = bound.references_.load(std::memory_order_relaxed);
  while (count != 0) {
    if (bound.references_.compare_exchange_weak(count, count + 1)) {
      return BoundResourcePtr(&bound);
    }
  }
  return BoundResourcePtr();
}

}  // namespace holdfast::core
