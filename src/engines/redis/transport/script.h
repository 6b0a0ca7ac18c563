// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/script.h - the Lua scripts, and how one is called.
//
// scripts/README.md says what the scripts have in common; scripts.cmake says which
// files make up which script.

#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "engines/redis/transport/command.h"

namespace holdfast::redis {

struct Script {
  std::string_view sha;
  std::string_view text;
};

namespace scripts {
extern const Script lock_attempt, lock_drop, lock_renew, lock_keep, lock_amend,
    lock_survey;
extern const Script string_attempt, string_drop, string_renew, string_amend,
    string_survey;
extern const Script fair_attempt, fair_drop, fair_keep;
extern const Script shared_attempt, shared_drop, shared_renew, shared_keep,
    shared_amend, shared_survey;
extern const Script permits_attempt, permits_drop, permits_renew, permits_keep,
    permits_amend, permits_survey, permits_load, permits_exchange;
extern const Script plain_attempt, plain_drop, plain_keep, plain_amend, plain_survey;
extern const Script barrier_attempt, barrier_drop, barrier_renew, barrier_keep,
    barrier_amend, barrier_survey;
extern const Script value_add, value_exchange, register_add, register_exchange;
extern const Script list;
}  // namespace scripts

// A ReusedText is in memory that the thread has used before.
class ReusedText {
 public:
  ReusedText() noexcept : text_(std::move(spare())) { text_.clear(); }
  ReusedText(ReusedText&&) = default;
  ReusedText& operator=(ReusedText&&) = delete;
  ~ReusedText() {
    if (text_.capacity() > spare().capacity() && text_.capacity() <= kMostKept) {
      spare().swap(text_);
    }
  }

  std::string& operator*() noexcept { return text_; }
  const std::string& operator*() const noexcept { return text_; }

 private:
  static constexpr std::size_t kMostKept = 4096;
  static std::string& spare() noexcept {
    static thread_local std::string text;
    return text;
  }
  std::string text_;
};

// An invocation is one call of a script: its keys and arguments, counted while they are
// added.
class Invocation {
 public:
  explicit Invocation(const Script& script) : script_(script) {
    (*words_text_).reserve(480);
  }

  template <class... Pieces>
  Invocation& key(const Pieces&... pieces) {
    ++keys_;
    return word(pieces...);
  }
  template <class... Pieces>
  Invocation& arg(const Pieces&... pieces) {
    return word(pieces...);
  }
  Invocation& arg(std::integral auto number) { return word(Digits(number)); }

  // Appends the command: EVALSHA, or EVAL for a server that does not know the script.
  void write(std::string& out) const { write(out, "EVALSHA", script_.sha); }
  void write_in_full(std::string& out) const { write(out, "EVAL", script_.text); }

 private:
  template <class... Pieces>
  Invocation& word(const Pieces&... pieces) {
    ++words_;
    Command::append_word(*words_text_, pieces...);
    return *this;
  }
  void write(std::string& out, std::string_view verb, std::string_view script) const {
    Command(out, 3 + words_).add(verb).add(script).add(keys_);
    out.append(*words_text_);
  }

  const Script& script_;
  std::size_t keys_ = 0;
  std::size_t words_ = 0;
  ReusedText words_text_;
};

}  // namespace holdfast::redis
