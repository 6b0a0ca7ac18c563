// SPDX-License-Identifier: Apache-2.0

// engines/redis/layout.h - maps a kind to its keys, channels and scripts.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "base/kind.h"
#include "engines/redis/names.h"
#include "engines/redis/options.h"
#include "engines/redis/transport/script.h"
#include "holdfast/engine/session.h"

namespace holdfast::redis {

// These are the arguments that only some kinds' scripts have. They follow the common
// ones:
//   attempt  owner lease tokens details token_ttl alive arrival
//   drop     owner tombstone evict
//   amend    owner lease details
//   survey   limit record_prefix
enum class Arg : std::uint8_t {
  mode,
  permits,
  capacity,
  fair_wait,
  record_prefix,
  timeout_prefix,
  token_ttl,
  channels,  // the channel, how to publish, and the prefix of the sessions' channels;
             // always the last
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

// A verb is one operation of a kind and the script that does it. A null script means
// that the kind does not have the operation.
struct Verb {
  const Script* script = nullptr;
  ShortList<Part> keys = {};
  ShortList<Arg> args = {};
};

// RegisterFormat says how a register is stored.
enum class RegisterFormat : std::uint8_t {
  none,
  number,    // a string without versions, as RAtomicLong has it
  latch,     // a string, as RCountDownLatch has it
  own,       // a hash of number and version
  capacity,  // the capacity of a semaphore
};

struct Layout {
  KeyPrefixes prefixes;
  Verb attempt = {};
  Verb drop = {};
  Verb amend = {};
  Verb renew = {};  // the keys of one claim; one call renews many claims
  Verb keep = {};   // the keys of one waiter; one call keeps many entries
  Verb survey = {};
  RegisterFormat register_format = RegisterFormat::none;
  engine::Traits traits = {};
  bool own_channel = false;        // Each waiter has a channel of its own, named by the
                                   // channel and the waiter's owner.
  bool hands_over = false;         // A release grants the lock to the next waiter and
                                   // sends it the grant on its session's channel.
  bool peers_publish = true;       // Peers publish a message when they release.
  std::uint32_t most_permits = 0;  // the most permits of one claim; zero means any
                                   // number
};

// Layouts has the layouts of all kinds under the options of one session.
class Layouts {
 public:
  explicit Layouts(const Options& options) noexcept;

  const Layout& of(engine::Kind kind) const noexcept {
    return *layouts_[static_cast<std::size_t>(kind)];
  }

 private:
  std::array<const Layout*, base::kKindNames.size()> layouts_;
};

}  // namespace holdfast::redis
