// engines/redis/layout.h - from a kind to its keys, channels and scripts.

#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "engines/redis/options.h"
#include "engines/redis/script.h"
#include "engines/redis/spelling.h"
#include "holdfast/engine/session.h"

namespace holdfast::redis {

// An argument that not every kind's script has. They come after the common ones:
//   attempt  owner lease tokens facts token_ttl alive arrival
//   drop     owner gone evict
//   amend    owner lease facts
//   survey   limit record_prefix
enum class Arg : std::uint8_t {
  mode,
  permits,
  capacity,
  fair_wait,
  record_prefix,
  timeout_prefix,
};

template <class T>
class ShortList {
 public:
  constexpr ShortList(std::initializer_list<T> items) {
    for (const T item : items) items_[size_++] = item;
  }
  constexpr const T* begin() const noexcept { return items_; }
  constexpr const T* end() const noexcept { return items_ + size_; }
  constexpr std::size_t size() const noexcept { return size_; }

 private:
  T items_[7] = {};
  std::size_t size_ = 0;
};

// One thing that a script does for a kind. Without a script the kind does not have it.
struct Verb {
  const Script* script = nullptr;
  ShortList<Part> keys = {};
  ShortList<Arg> args = {};
};

enum class Register : std::uint8_t {
  none,
  number,    // a string, as RAtomicLong's: no versions
  latch,     // a string, as RCountDownLatch's
  own,       // a hash of number and version
  capacity,  // of a semaphore
};

struct Layout {
  Words words;
  Verb attempt = {};
  Verb drop = {};
  Verb amend = {};
  Verb renew = {};  // one claim's keys; there may be many claims in a call
  Verb survey = {};
  Register reg = Register::none;
  engine::Traits traits = {};
  bool own_channel = false;        // every waiter has one: the channel's name and his
  bool rings = true;               // false: peers release without a word
  std::uint32_t most_permits = 0;  // of one claim; zero: any number
};

const Layout& layout_of(engine::Kind kind, const Options& options) noexcept;

}  // namespace holdfast::redis
