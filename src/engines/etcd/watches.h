// engines/etcd/watches.h - what happens to keys, as etcd tells it.
//
// A watch that starts at a past revision is served by etcd once in 100 ms only. So all
// of ours start now, whatever now is at the member, and say from when on they miss
// nothing; whoever has looked before that looks again.

#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "engines/etcd/stream.h"
#include "holdfast/engine/claim.h"

namespace holdfast::etcd {

// Safe for concurrent use.
class Watches final : public Stream::Listener {
 public:
  Watches(Loop& loop, Channels& channels, Calls& calls);

  enum class What : std::uint8_t {
    ends,     // of keys
    changes,  // and new values of old keys
    all,      // and new keys
  };
  struct Target {
    std::string key;
    std::string end = {};  // of a range; empty: one key
    What what = What::ends;
  };

  // Rings until it is dropped, and whenever something may have been missed.
  class Ear {
   public:
    Ear(Watches& watches, Target target, std::vector<engine::Waker> wakers);
    Ear(const Ear&) = delete;
    Ear& operator=(const Ear&) = delete;
    ~Ear();

    const std::string& key() const noexcept { return target_.key; }
    bool is_for(const engine::Waker& waker) const noexcept;

    // Waits until it listens: nothing is missed that happens after the revision which
    // is returned. Errc::denied, Errc::unavailable.
    Result<std::int64_t> wait(engine::Deadline until);

    // Rings only when so many keys have ended after `revision`.
    void ring_after(std::size_t ends, std::int64_t revision);

    // Unless it listens already, rings when it does: what happened before is not told.
    void ring_when_open();

   private:
    friend class Watches;
    Watches& watches_;
    const Target target_;
    const std::vector<engine::Waker> wakers_;
    const Clock::time_point begun_ = Clock::now();
    // All below: guarded by the mutex of `watches_`.
    std::int64_t id_ = 0;
    std::int64_t since_ = 0;    // zero: it does not listen
    bool missed_ = false;       // something may have happened unheard
    std::string refused_;       // why, if this stream does not let it
    Calls::Pass refused_pass_;  // of that stream
    std::int64_t last_ = 0;     // revision of what was heard last
    std::size_t skip_ = 0;      // ends that are nothing to ring for
  };

  std::shared_ptr<Ear> listen(Target target, std::vector<engine::Waker> wakers);

  // Everybody looks again.
  void ring_all();

  // There is a new pass: what was refused with the old one is tried with it.
  void signed_on();

  Worker& worker() noexcept { return stream_; }

  void opened() override;
  void heard(const google::protobuf::MessageLite& message) override;
  void broken() override;

 private:
  void begin(Ear& ear) HOLDFAST_REQUIRES(mutex_);
  void cancel(std::int64_t id) HOLDFAST_REQUIRES(mutex_);
  std::int64_t whose(const wire::WatchResponse& response) HOLDFAST_REQUIRES(mutex_);
  void cancelled(Ear& ear, const wire::WatchResponse& response)
      HOLDFAST_REQUIRES(mutex_);
  // Whether another pass would not help.
  bool is_final(const Ear& ear) const HOLDFAST_REQUIRES(mutex_);
  static void ring(const Ear& ear) noexcept;
  static void take(Ear& ear, const wire::Event& event);

  Calls& calls_;
  base::Mutex mutex_;
  base::CondVar changed_;
  std::int64_t last_id_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  bool open_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::deque<std::int64_t> unconfirmed_ HOLDFAST_GUARDED_BY(mutex_);  // in order
  std::unordered_map<std::int64_t, Ear*> ears_ HOLDFAST_GUARDED_BY(mutex_);
  Stream stream_;
};

}  // namespace holdfast::etcd
