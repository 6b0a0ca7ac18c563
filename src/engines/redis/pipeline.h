// engines/redis/pipeline.h - requests in the order of their replies. No I/O.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engines/redis/parker.h"
#include "engines/redis/reply.h"
#include "holdfast/engine/claim.h"

namespace holdfast::redis {

// One caller's, on its stack.
struct Request {
  enum class End { answered, lost, unsent };

  std::string_view unsent;        // of its commands
  std::span<Reply> replies;       // one for each command
  engine::Deadline until{};       // when its caller leaves
  engine::Deadline dial_until{};  // the same, for connecting
  bool patient = true;            // it waits long enough to judge the connection
  int dials = 0;                  // made for it
  bool sent = false;              // at least one byte
  std::uint64_t heard = 0;        // what the link had heard by then
  bool leads = false;             // its caller reads for all
  std::optional<End> end{};       // nothing: it is in the pipeline
  std::optional<Failure> why{};
  Parker parker{};  // of its caller, while another one leads

  // Pipeline's own.
  std::size_t filled = 0;   // of `replies`
  std::size_t orphans = 0;  // replies after its own that nobody waits for
  Request* previous = nullptr;
  Request* next = nullptr;
  Request* also_ended = nullptr;
};

// Not safe for concurrent use.
class Pipeline {
 public:
  Request* first() const noexcept { return first_; }
  bool idle() const noexcept { return first_ == nullptr && orphans_ == 0; }

  void append(Request& request) noexcept;

  // What to send next; empty: all is sent.
  std::string_view unsent() const noexcept;
  void sent(std::size_t bytes, std::uint64_t heard) noexcept;

  // Gives a reply to the request whose turn it is. False: nobody has asked.
  bool accept(Reply reply) noexcept;

  // Its caller leaves. What it began to send is sent to the end, and its replies are
  // thrown away.
  void abandon(Request& request);

  // It was never sent, and will not be.
  void refuse(Request& request, Failure why) noexcept;

  // The connection is gone: whatever was sent is lost. The rest stays.
  void break_off(const Failure& why);

  // Those that ended since the last call, except by `abandon`; a list by `also_ended`.
  // Their callers are to be woken.
  Request* take_ended() noexcept { return std::exchange(ended_, nullptr); }

 private:
  void finish(Request& request, Request::End end) noexcept;
  void remove(Request& request, Request::End end) noexcept;

  Request* first_ = nullptr;
  Request* last_ = nullptr;
  Request* to_send_ = nullptr;  // the first that is not wholly sent
  std::size_t orphans_ = 0;     // replies before those of the first request
  std::string tail_;            // the end of a request whose caller has left
  Request* ended_ = nullptr;
};

}  // namespace holdfast::redis
