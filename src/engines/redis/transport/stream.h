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

// The user of a stream has a mutex. `write_some` and `read_some` are called with the
// mutex held and never wait; `wait` is called without it, by one thread at a time, and
// only that thread calls `read_some`.
class Stream {
 public:
  virtual ~Stream() = default;

  // Sends several texts together, as if they were one. Returns how many of their bytes
  // were sent; the rest did not fit. A failure means that the connection is broken and
  // none of them was sent.
  virtual Result<std::size_t> write_some(std::span<const std::string_view> texts) = 0;
  Result<std::size_t> write_some(std::string_view bytes) {
    return write_some(std::span(&bytes, 1));
  }

  // Waits until bytes have arrived or, with `for_room`, until more may be written.
  // Returns false if the deadline passed first. True may come too early: `read_some`
  // then returns nothing.
  virtual bool wait(bool for_room, engine::Deadline until) = 0;

  // Returns the bytes that arrived, valid until the next call, or nothing. A failure
  // means that the connection has ended.
  virtual Result<std::string_view> read_some() = 0;

  // Returns whether the server has sent anything, or closed, while no reply is
  // expected.
  virtual bool has_input_or_eof() const noexcept = 0;

  // This may be called from any thread: `wait` returns, and `read_some` fails.
  virtual void shut_down() noexcept = 0;

  virtual int fd() const noexcept = 0;
};

// Connects, with the TLS handshake where the endpoint says so.
Result<std::unique_ptr<Stream>> connect_stream(const Endpoint& endpoint,
                                               engine::Deadline until);

}  // namespace holdfast::redis
