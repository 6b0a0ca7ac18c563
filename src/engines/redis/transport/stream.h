// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/stream.h - bytes to and from the server, plain or over TLS.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "engines/redis/options.h"
#include "holdfast/engine/claim.h"
#include "holdfast/result.h"

namespace holdfast::redis {

// The user of a stream has a mutex. `give` and `take` are called with the mutex held
// and never wait; `await` is called without it, by one thread at a time, and only that
// thread calls `take`.
class Stream {
 public:
  virtual ~Stream() = default;

  // Sends several texts together, as if they were one. Returns how many of their bytes
  // were sent; the rest did not fit. A failure means that the connection is broken and
  // none of them was sent.
  virtual Result<std::size_t> give(std::span<const std::string_view> texts) = 0;
  Result<std::size_t> give(std::string_view bytes) {
    return give(std::span(&bytes, 1));
  }

  // Waits until bytes have arrived or, with `for_room`, until more may be given.
  // Returns false if the deadline passed first. True may come too early: `take` then
  // returns nothing.
  virtual bool await(bool for_room, engine::Deadline until) = 0;

  // Returns the bytes that arrived, valid until the next call, or nothing. A failure
  // means that the connection has ended.
  virtual Result<std::string_view> take() = 0;

  // Returns whether the server has sent anything, or closed, while no reply is
  // expected.
  virtual bool stirs() const noexcept = 0;

  // This may be called from any thread: `await` returns, and `take` fails.
  virtual void hang_up() noexcept = 0;

  virtual int fd() const noexcept = 0;
};

// Connects, with the TLS handshake where the endpoint says so.
Result<std::unique_ptr<Stream>> connect_stream(const Endpoint& endpoint,
                                               engine::Deadline until);

}  // namespace holdfast::redis
