// engines/redis/spelling.h - the keys and channels of one name.
//
// Redisson's rules: `prefix:{name}`, `{name}:suffix`, and no braces are added where the
// name has a '{' of its own, so that the keys of a name share a hash slot. Our own keys
// then say `prefix::name`, because "a" and "{a}" are two names.

#pragma once

#include <string>
#include <string_view>

#include "engines/redis/script.h"

namespace holdfast::redis {

// What a key or channel is for.
enum class Part : std::uint8_t {
  lock,             // what is locked, or the value of a register
  record,           // of one owner
  queue,            // of those of us who wait
  token,            // the last fencing token
  channel,          // where a release is told
  fair_queue,       // RFairLock's
  fair_timeouts,    //
  permit_timeouts,  // RPermitExpirableSemaphore's
  holders,          // of ours, for observers
  reader_timeout,   // RReadWriteLock's, of one owner
};

// The words before the name; empty: the bare name.
struct Words {
  std::string_view lock;
  std::string_view channel;
  std::string_view token = "redisson_lock_token";
  std::string_view queue = "holdfast_queue";
  std::string_view record = "holdfast";
};

class Spelling {
 public:
  // Both must outlive it.
  Spelling(const Words& words, std::string_view name) noexcept
      : words_(words), name_(name), braced_(name.find('{') != std::string_view::npos) {}

  void add_key(Invocation& call, Part part, std::string_view owner) const;
  std::string text(Part part, std::string_view owner = {}) const;

  std::string record_prefix() const;   // with an owner behind it, his record
  std::string timeout_prefix() const;  // with a reader and ":rwlock_timeout:1"

 private:
  template <class Use>
  decltype(auto) spell(Part part, std::string_view owner, Use&& use) const;

  const Words& words_;
  std::string_view name_;
  bool braced_;
};

}  // namespace holdfast::redis
