// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/posting.h - a command whose caller does not wait for the
// reply: a write now, and a continuation when the reply has come.

#pragma once

#include <optional>
#include <string>

#include "engines/redis/transport/pipeline.h"
#include "engines/redis/transport/reply.h"
#include "holdfast/result.h"

namespace holdfast::redis {

// A posting lives until `ended` has been called, and can then be posted again.
class Posting {
 public:
  // This is called once for each `Requests::post`, with no mutex held. Its outcome is
  // that of Requests::call.
  virtual void ended(const Result<void>& outcome) noexcept = 0;

  std::string command;
  Reply reply;

 protected:
  Posting() = default;
  ~Posting() = default;
  Posting(const Posting&) = delete;
  Posting& operator=(const Posting&) = delete;

 private:
  friend class Connection;
  std::optional<Request> request_;
};

}  // namespace holdfast::redis
