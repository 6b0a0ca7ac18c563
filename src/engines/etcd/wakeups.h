// SPDX-License-Identifier: Apache-2.0

// engines/etcd/wakeups.h - etcd watches: they wake the callers that wait for a key.
//
//   auto watch = stream.watch({.key = predecessor}, {waker});
//   auto since = watch->wait(until);   // the watch is open from this revision on
//
// etcd serves a watch that starts at a past revision only once in 100 ms. So a prompt
// watch starts at the member's present revision, which `wait` returns. A caller that
// has read the keys at an earlier revision must read them again.
//
// The member chooses that revision a moment before it registers the watch, and a change
// in between puts the watch into the past after all. So each request is sent twice: the
// second one is refused, because its id is in use, and the refusal tells a revision of
// the time after the registration. If it is the same one, nothing came in between;
// otherwise the watch begins anew.
//
// Callers that wait for the same key again and again, as when some processes take
// turns, keep the watch meanwhile: see `keep`.

#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "engines/etcd/transport/stream.h"
#include "holdfast/engine/claim.h"

namespace holdfast::etcd {

// This says which events ring.
enum class WatchFor : std::uint8_t {
  ends,     // keys are deleted
  changes,  // and existing keys get new values
  all,      // and keys are created
};

struct WatchedKeys {
  std::string key;
  std::string end = {};  // the end of a range; empty means one key
  WatchFor what = WatchFor::ends;
  std::int64_t from = 0;  // the first revision that counts; zero means the present one
  bool prompt = true;     // false means that an event may be told 100 ms late
  bool operator==(const WatchedKeys&) const = default;
};

class WatchStream;

// A KeyWatch rings its wakers until it is destroyed, also when events may have been
// missed.
class KeyWatch {
 public:
  enum class Begin : std::uint8_t { now, later };
  KeyWatch(WatchStream& stream, WatchedKeys target, std::vector<engine::Waker> wakers,
           Begin begin);
  KeyWatch(const KeyWatch&) = delete;
  KeyWatch& operator=(const KeyWatch&) = delete;
  ~KeyWatch();

  const std::string& key() const noexcept { return target_.key; }
  bool is_for(const engine::Waker& waker) const;

  // Blocks until the watch is open: no event is missed after the revision that is
  // returned. Errc::denied: etcd refuses it. Errc::unavailable: it is not open in time.
  Result<std::int64_t> wait(engine::Deadline until);

  // Rings only when this many keys have been deleted after `revision`.
  void ring_after(std::size_t ends, std::int64_t revision);

  // Rings once when the watch opens, unless it is open already, because it does not
  // tell what happened before.
  void ring_when_open();

  // Lets go of the watch, which stays open for a second: the next caller that wants to
  // watch the same key gets it without a request. It ends with its next event, because
  // from then on it would cost more than it saves.
  static void keep(std::shared_ptr<KeyWatch> watch) noexcept;

 private:
  friend class WatchStream;
  bool is_open() const noexcept { return since_ != 0 && (sure_ || !target_.prompt); }

  WatchStream& stream_;
  const WatchedKeys target_;
  const Clock::time_point created_at_ = Clock::now();
  // All below is guarded by the mutex of `stream_`.
  std::vector<engine::Waker> wakers_;
  std::int64_t id_ = 0;
  bool waits_to_begin_ = false;     // it is not requested yet
  bool kept_ = false;               // no caller has it
  std::int64_t since_ = 0;          // the revision at which it was opened, or zero
  bool sure_ = false;               // it was registered at that revision
  int tries_ = 0;                   // how often it began since the stream was opened
  bool missed_ = false;             // events may have been missed
  std::string refused_;             // why the present stream refuses it, or empty
  Calls::AuthToken refused_token_;  // the token of that stream
  std::int64_t last_ = 0;           // the revision of the last event
  std::size_t skip_ = 0;            // so many deletions do not ring
};

// Has all watches of a session, on one stream. The class is safe for concurrent use.
class WatchStream final : public Stream::Handler, public PeriodicJob {
 public:
  WatchStream(EventLoop& loop, Channels& channels, Calls& calls);

  std::shared_ptr<KeyWatch> watch(WatchedKeys target,
                                  std::vector<engine::Waker> wakers);

  // The watch is requested after 100 to 200 ms, unless it is destroyed before: a caller
  // that does not wait for long does not need it.
  // REQUIRES: target.from is not zero, so that no event is missed.
  std::shared_ptr<KeyWatch> watch_later(WatchedKeys target,
                                        std::vector<engine::Waker> wakers);

  // Rings every waker, so that every waiter reads its keys again.
  void ring_all();

  // Tries watches that were refused with an old token again, because there is a new
  // one.
  void authenticated();

  void add_jobs(std::vector<PeriodicJob*>& to);

  void on_open() override;
  void on_message(const google::protobuf::MessageLite& message) override;
  void on_break() override;
  Clock::time_point work() override;
  bool stop() override { return true; }
  bool is_awaited() override;

 private:
  friend class KeyWatch;
  using WatchPtr = std::shared_ptr<KeyWatch>;
  struct IdleWatch {
    WatchPtr watch;
    Clock::time_point until{};
  };
  static constexpr std::size_t kMostKept = 8;
  using IdleWatches = std::array<IdleWatch, kMostKept>;

  WatchPtr take_kept(const WatchedKeys& target, std::vector<engine::Waker>& wakers);
  IdleWatch keep(WatchPtr watch);
  // No longer keeps the watch. The caller destroys what is returned without the mutex.
  WatchPtr forget(const KeyWatch& watch) HOLDFAST_REQUIRES(mutex_);
  void work_at(Clock::time_point time) HOLDFAST_REQUIRES(mutex_);

  void begin(KeyWatch& watch) HOLDFAST_REQUIRES(mutex_);
  void begin_again(KeyWatch& watch) HOLDFAST_REQUIRES(mutex_);
  void request(const KeyWatch& watch, bool more) HOLDFAST_REQUIRES(mutex_);
  void cancel(std::int64_t id, bool more = false) HOLDFAST_REQUIRES(mutex_);
  // This is the watch to which a response belongs, if it still exists.
  struct Answered {
    KeyWatch* watch = nullptr;
    bool second = false;  // it answers the second of two equal requests
  };
  Answered answered_by(const wire::WatchResponse& response) HOLDFAST_REQUIRES(mutex_);
  void on_created(KeyWatch& watch, std::int64_t revision) HOLDFAST_REQUIRES(mutex_);
  void on_second(KeyWatch& watch, std::int64_t revision) HOLDFAST_REQUIRES(mutex_);
  void on_cancelled(KeyWatch& watch, const wire::WatchResponse& response)
      HOLDFAST_REQUIRES(mutex_);
  // Returns whether a new token would not help.
  bool is_final(const KeyWatch& watch) const HOLDFAST_REQUIRES(mutex_);
  static void ring(const KeyWatch& watch) noexcept;
  static void on_event(KeyWatch& watch, const wire::Event& event);

  struct Requested {
    std::int64_t id;
    bool second;
  };
  struct Later {
    std::int64_t id;
    Clock::time_point due;
  };

  EventLoop& loop_;
  Calls& calls_;
  base::Mutex mutex_;
  base::CondVar changed_;
  std::int64_t last_id_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  bool open_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::deque<Requested> unanswered_ HOLDFAST_GUARDED_BY(mutex_);
  std::unordered_map<std::int64_t, KeyWatch*> watches_ HOLDFAST_GUARDED_BY(mutex_);
  std::size_t awaited_ HOLDFAST_GUARDED_BY(mutex_) = 0;  // prompt, and not kept
  std::deque<Later> later_ HOLDFAST_GUARDED_BY(mutex_);
  Clock::time_point due_ HOLDFAST_GUARDED_BY(mutex_) = Clock::time_point::max();
  Stream stream_;
  IdleWatches kept_ HOLDFAST_GUARDED_BY(mutex_);  // destroyed first
};

}  // namespace holdfast::etcd
