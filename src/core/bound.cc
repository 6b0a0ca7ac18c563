#include "core/bound.h"

#include <cstring>
#include <new>

#include "core/hub.h"

namespace holdfast::core {

BoundPtr Bound::make(const engine::Address& address, Parts parts) {
  void* const block = ::operator new(sizeof(Bound) + address.name.size());
  return BoundPtr(new (block) Bound(address, std::move(parts)));
}

Bound::Bound(const engine::Address& address, Parts parts) noexcept
    : hub_(parts.hub),
      resource_(std::move(parts.resource)),
      gate_(parts.gate),
      size_(static_cast<std::uint16_t>(address.name.size())),
      kind_(address.kind),
      leased_(parts.leased) {
  std::memcpy(reinterpret_cast<char*>(this + 1), address.name.data(), size_);
}

Bound::~Bound() {
  if (hub_.forked()) {
    // Forgotten, not released: what it would touch is the parent's.
    new (&resource_) std::shared_ptr<engine::Resource>;
  } else {
    hub_.unbind(*this);
  }
}

void Bound::destroy() const noexcept {
  this->~Bound();
  ::operator delete(const_cast<Bound*>(this));
}

BoundPtr BoundPtr::revive(const Bound& bound) noexcept {
  auto count = bound.references_.load(std::memory_order_relaxed);
  while (count != 0) {
    if (bound.references_.compare_exchange_weak(count, count + 1)) {
      return BoundPtr(&bound);
    }
  }
  return BoundPtr();
}

}  // namespace holdfast::core
