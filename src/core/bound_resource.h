// core/bound_resource.h - one resource as the core sees it.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "holdfast/engine/session.h"

namespace holdfast::core {

class BoundPtr;
class Gate;
class ClientState;

// Shared by every primitive and hold of one address in one client, and does not outlive
// the client's state. Never changes. There may be very many of them: the gate and the
// name lie behind the object in the same block, and the references are counted in it.
class BoundResource {
 public:
  struct Parts;
  static BoundPtr make(const engine::Address& address, Parts parts);

  BoundResource(const BoundResource&) = delete;
  BoundResource& operator=(const BoundResource&) = delete;

  ClientState& client() const noexcept { return client_; }
  engine::Resource& resource() const noexcept { return *resource_; }
  Gate* gate() const noexcept { return gate_; }
  engine::Kind kind() const noexcept { return kind_; }
  bool leased() const noexcept { return leased_; }    // grants end by time
  bool bounded() const noexcept { return bounded_; }  // a call may go unanswered
  bool session_bound() const noexcept {
    return session_bound_;
  }  // as engine::Traits has it
  bool fifo_requests() const noexcept { return fifo_requests_; }  // and this

  // By when a call should be answered, if its caller has no limit.
  engine::Deadline call_deadline() const noexcept;

  std::string_view name() const noexcept {
    return {reinterpret_cast<const char*>(this + 1) + tail_, size_};
  }

 private:
  friend class BoundPtr;
  friend class BoundTable;

  BoundResource(const engine::Address& address, Parts parts, std::size_t tail) noexcept;
  ~BoundResource();
  void destroy() const noexcept;

  ClientState& client_;
  std::shared_ptr<engine::Resource> resource_;
  Gate* gate_ = nullptr;
  mutable const BoundResource* next_ = nullptr;  // in its table
  mutable std::atomic<std::uint32_t> references_{1};
  const std::uint16_t size_;  // of the name
  const engine::Kind kind_;
  const bool leased_ : 1;
  const bool bounded_ : 1;
  const bool session_bound_ : 1;
  const bool fifo_requests_ : 1;
  const std::uint8_t tail_;  // bytes before the name: our gate, or whose it is
};

// A counted reference; the last one ends the resource.
class BoundPtr {
 public:
  BoundPtr() = default;
  BoundPtr(const BoundPtr& other) noexcept : bound_(other.bound_) {
    if (bound_ != nullptr) bound_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  BoundPtr(BoundPtr&& other) noexcept : bound_(std::exchange(other.bound_, nullptr)) {}
  BoundPtr& operator=(BoundPtr other) noexcept {
    std::swap(bound_, other.bound_);
    return *this;
  }
  ~BoundPtr() {
    if (bound_ != nullptr && bound_->references_.fetch_sub(1) == 1) bound_->destroy();
  }

  // Null if `bound` is about to be destroyed. REQUIRES: its memory is still there.
  static BoundPtr revive(const BoundResource& bound) noexcept;

  const BoundResource& operator*() const noexcept { return *bound_; }
  const BoundResource* operator->() const noexcept { return bound_; }
  explicit operator bool() const noexcept { return bound_ != nullptr; }
  bool operator==(const BoundPtr&) const = default;

 private:
  friend class BoundResource;
  explicit BoundPtr(const BoundResource* bound) noexcept : bound_(bound) {}
  const BoundResource* bound_ = nullptr;
};

struct BoundResource::Parts {
  ClientState& client;
  bool leased;
  bool bounded;
  bool session_bound;
  bool fifo_requests;
  std::shared_ptr<engine::Resource> resource;
  bool process_queue;  // false: threads may ask the engine directly
  BoundPtr lender{};   // another address of the same resource, whose gate is shared
};

// A claim, and where it was made.
struct BoundClaim {
  BoundPtr bound;
  engine::Claim claim;
};

}  // namespace holdfast::core
