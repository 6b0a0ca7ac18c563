// SPDX-License-Identifier: Apache-2.0

// core/bound_resource.h - one resource of one client, as the core knows it.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "base/ask_engine.h"
#include "holdfast/engine/session.h"

namespace holdfast::core {

class BoundResourcePtr;
class Gate;
class ClientState;

// A bound resource is shared by every primitive and hold of one address in one client,
// and does not outlive the client's state. It never changes, so it is safe for
// concurrent use. There may be very many of them: the gate and the name lie behind the
// object in the same block of memory, and the references are counted in the object.
class BoundResource {
 public:
  struct Parts;
  static BoundResourcePtr make(const engine::Address& address, Parts parts);

  BoundResource(const BoundResource&) = delete;
  BoundResource& operator=(const BoundResource&) = delete;

  ClientState& client() const noexcept { return client_; }
  engine::Resource& resource() const noexcept { return *resource_; }

  // Returns where the threads of a process queue, or null if they do not.
  Gate* gate() const noexcept { return queues_ ? gate_of_turns() : nullptr; }

  // Returns where asynchronous calls queue: at the gate, or, where the threads of a
  // process do not queue for a mutex, at a gate of their own, so that only one of them
  // has a place at the engine. It is null for kinds without a gate.
  Gate* gate_of_tasks() const;

  // Returns the gate that gave out a turn, or null if there is none.
  Gate* gate_of_turns() const noexcept { return gate_.load(std::memory_order_acquire); }
  engine::Kind kind() const noexcept { return kind_; }
  bool leased() const noexcept { return leased_; }    // grants end by time
  bool bounded() const noexcept { return bounded_; }  // a call may go unanswered

  // These are the engine's traits of the same names.
  bool session_bound() const noexcept { return session_bound_; }
  bool fifo_requests() const noexcept { return fifo_requests_; }
  bool posts() const noexcept { return posts_; }

  // Drops a claim at the engine, as engine::Resource::drop does.
  Result<void> drop(const engine::Claim& claim, engine::Deadline until) const noexcept {
    return base::ask_engine([&] { return resource_->drop(claim, until); });
  }

  // Returns by when a call should be answered whose caller has no limit.
  engine::Deadline call_deadline() const noexcept;

  std::string_view name() const noexcept {
    return {reinterpret_cast<const char*>(this + 1) + tail_, size_};
  }

 private:
  friend class BoundResourcePtr;
  friend class BoundResources;

  BoundResource(const engine::Address& address, Parts parts, std::size_t tail) noexcept;
  ~BoundResource();
  void destroy() const noexcept;

  ClientState& client_;
  std::shared_ptr<engine::Resource> resource_;
  mutable std::atomic<Gate*> gate_{nullptr};     // of threads and tasks, or of tasks
  mutable const BoundResource* next_ = nullptr;  // in its bucket of the table
  mutable std::atomic<std::uint32_t> references_{1};
  const std::uint16_t size_;  // of the name
  const engine::Kind kind_;
  const bool leased_ : 1;
  const bool bounded_ : 1;
  const bool session_bound_ : 1;
  const bool fifo_requests_ : 1;
  const bool posts_ : 1;
  const bool queues_ : 1;    // threads queue at the gate
  const std::uint8_t tail_;  // bytes of the gate, or of the reference to its owner
};

// A counted reference. The last one destroys the resource.
class BoundResourcePtr {
 public:
  BoundResourcePtr() = default;
  BoundResourcePtr(const BoundResourcePtr& other) noexcept : bound_(other.bound_) {
    if (bound_ != nullptr) bound_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  BoundResourcePtr(BoundResourcePtr&& other) noexcept
      : bound_(std::exchange(other.bound_, nullptr)) {}
  BoundResourcePtr& operator=(BoundResourcePtr other) noexcept {
    std::swap(bound_, other.bound_);
    return *this;
  }
  ~BoundResourcePtr() {
    if (bound_ != nullptr && bound_->references_.fetch_sub(1) == 1) bound_->destroy();
  }

  // Returns null if `bound` is about to be destroyed. REQUIRES: its memory is still
  // there.
  static BoundResourcePtr revive(const BoundResource& bound) noexcept;

  const BoundResource& operator*() const noexcept { return *bound_; }
  const BoundResource* operator->() const noexcept { return bound_; }
  explicit operator bool() const noexcept { return bound_ != nullptr; }
  bool operator==(const BoundResourcePtr&) const = default;

 private:
  friend class BoundResource;
  explicit BoundResourcePtr(const BoundResource* bound) noexcept : bound_(bound) {}
  const BoundResource* bound_ = nullptr;
};

struct BoundResource::Parts {
  ClientState& client;
  bool leased;
  bool bounded;
  bool session_bound;
  bool fifo_requests;
  bool posts;
  std::shared_ptr<engine::Resource> resource;
  bool process_queue;  // whether threads queue at a gate before they ask the engine
  BoundResourcePtr
      gate_owner{};  // another address of the same resource, whose gate is shared
};

// A claim together with the resource that it was made on.
struct BoundClaim {
  BoundResourcePtr bound;
  engine::Claim claim;
};

}  // namespace holdfast::core
