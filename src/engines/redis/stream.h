// engines/redis/stream.h - bytes to and from the server, plain or over TLS.

#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "engines/redis/options.h"
#include "holdfast/engine/claim.h"
#include "holdfast/result.h"

namespace holdfast::redis {

// Its user has a lock. `give` and `take` are called with the lock held and never wait;
// `await` is called without it, by one thread at a time, who also calls `take`.
class Stream {
 public:
  virtual ~Stream() = default;

  // How many of these bytes went out; the rest did not fit. Failure: the connection is
  // broken, and none of them went out.
  virtual Result<std::size_t> give(std::string_view bytes) = 0;

  // Waits until something came or, with `for_room`, more may be given. False: the
  // deadline passed first. True, perhaps too early: see what `take` has.
  virtual bool await(bool for_room, engine::Deadline until) = 0;

  // What came, until the next call; empty: nothing yet. Failure: the connection ended.
  virtual Result<std::string_view> take() = 0;

  // Nothing is expected: whether the server has said something (such as good-bye).
  virtual bool stirs() const noexcept = 0;

  // From any thread: `await` returns, and `take` fails.
  virtual void hang_up() noexcept = 0;

  virtual int fd() const noexcept = 0;
};

// Connects, and greets over TLS where the place says so.
Result<std::unique_ptr<Stream>> connect_stream(const Place& place,
                                               engine::Deadline until);

}  // namespace holdfast::redis
