// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/connection.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "base/common_failures.h"
#include "engines/redis/errors.h"
#include "engines/redis/transport/socket.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;
using engine::Deadline;

constexpr auto kIdle = 1s;        // After such a pause the next caller checks that
                                  // the connection is still open.
constexpr auto kSilence = 200ms;  // A caller that waited this long without an answer
                                  // takes the connection for dead.
constexpr auto kLeastConnectTime = 100ms;  // the time to connect for a caller that does
                                           // not wait for an answer
constexpr int kMostConnects = 3;
constexpr const char* kClosed = "this client has closed it";
constexpr auto kLook = 250ms;  // The thread of postings looks at their deadlines so
                               // often, and stays with an idle connection so long.

// A std::string of this is so short that it needs no memory itself.
constexpr const char* kNoMemory = "no memory";

}  // namespace

bool Connection::enter_idle() noexcept {
  int none = 0;
  return users() == 0 && users_.compare_exchange_strong(none, 1);
}

void Connection::join() noexcept { users_.fetch_add(1); }

void Connection::leave() noexcept { users_.fetch_sub(1); }

int Connection::users() const noexcept {
  return users_.load(std::memory_order_relaxed);
}

bool Connection::open() const noexcept { return open_.load(std::memory_order_relaxed); }

Result<void> Connection::call(std::string_view commands, std::span<Reply> replies,
                              Deadline until) {
  const auto now = Clock::now();
  Request mine{.unsent = commands,
               .replies = replies,
               .until = until,
               .connect_until = until > now ? until : now + kLeastConnectTime,
               .patient = until > now + kSilence};
  if (!begin(mine, now)) follow(mine);
  return outcome_of(mine);
}

Result<void> Connection::outcome_of(Request& ended) const noexcept {
  if (*ended.end == Request::End::answered) return {};
  if (ended.why) return *std::move(ended.why);
  const bool lost = *ended.end == Request::End::lost;
  const Errc code = lost ? Errc::outcome_unknown : Errc::unavailable;
  try {
    return base::not_answered(connector_.called(), code);
  } catch (const std::exception&) {  // no memory for the sentence
    return code;
  }
}

bool Connection::send(Request& mine) {
  const auto now = Clock::now();
  base::MutexLock lock(mutex_);
  look_for_end(now);
  if (!stream_ || why_ended_) return false;
  mine.away = true;
  mine.sent_at = now;
  pipeline_.append(mine);
  write();
  if (mine.sent) return true;
  abandon(mine);
  return false;
}

bool Connection::is_ended(Request& mine) {
  Request* ended = nullptr;
  {
    base::MutexLock lock(mutex_);
    if (mine.end || led_) return mine.end.has_value();
    led_ = true;
    try {
      constexpr auto kNow = Deadline::min();
      if (!why_ended_ && stream_->wait(!pipeline_.all_sent(), kNow)) {
        take_arrived();
      }
      if (why_ended_) close();
    } catch (const std::exception&) {
      run_out_of_memory(&mine);
    }
    mine.leads = mine.end.has_value();
    ended = stop_leading();
  }
  wake(ended, &mine);
  return mine.leads;
}

Result<void> Connection::finish(Request& mine, Deadline until) {
  Request* ended = nullptr;
  bool follows = false;
  {
    base::MutexLock lock(mutex_);
    mine.away = false;
    mine.until = until;
    mine.patient = until > mine.sent_at + kSilence;
    follows = !mine.leads && (mine.end || std::exchange(led_, true));
    if (!follows && !mine.end) ended = lead(mine);
  }
  if (follows) {
    follow(mine);
  } else {
    wake(ended, &mine);
  }
  return outcome_of(mine);
}

void Connection::forget(Request& mine) {
  {
    base::MutexLock lock(mutex_);
    if (!mine.end) return abandon(mine);
    if (mine.leads) return;
  }
  (void)mine.parker.park(Deadline::max());  // The thread that has ended it wakes it.
}

int Connection::fd() {
  base::MutexLock lock(mutex_);
  return stream_ && !why_ended_ ? stream_->fd() : -1;
}

// Returns true if this caller led and is done, false if another caller leads.
bool Connection::begin(Request& mine, Clock::time_point now) {
  Request* ended = nullptr;
  {
    base::MutexLock lock(mutex_);
    look_for_end(now);
    pipeline_.append(mine);
    write();
    if (std::exchange(led_, true)) return false;
    ended = lead(mine);
  }
  wake(ended, &mine);
  return true;
}

void Connection::follow(Request& mine) {
  if (!mine.parker.park(mine.until)) {
    base::MutexLock lock(mutex_);
    if (!mine.end && !mine.leads) return give_up(mine);
  }
  // If the deadline passed just as another thread chose to wake this caller, the
  // wake-up is still on its way.
  (void)mine.parker.park(Deadline::max());
  if (mine.end) return;
  Request* ended = nullptr;
  {
    base::MutexLock lock(mutex_);
    ended = lead(mine);
  }
  wake(ended, &mine);
}

// Reads until this caller's own answer has arrived. Returns the requests whose callers
// are to be woken.
Request* Connection::lead(Request& mine) noexcept {
  while (!mine.end || why_ended_) {
    try {
      if (why_ended_) {
        close();
      } else if (!stream_) {
        connect(mine);
      } else {
        read(mine);
      }
    } catch (const std::exception&) {
      const bool ended = mine.end.has_value();
      run_out_of_memory(&mine);
      if (ended) break;  // The next leader closes it.
    }
  }
  return stop_leading();
}

// Returns the requests whose callers are to be woken, among them the next leader.
Request* Connection::stop_leading() {
  Request* const ended = pipeline_.take_ended();
  Request* next = pipeline_.first();
  while (next != nullptr && next->away) next = next->next;
  led_ = next != nullptr;
  if (!led_) return ended;
  next->leads = true;
  next->also_ended = ended;
  return next;
}

// This is called without the mutex, because a woken caller needs it for its next
// request.
void Connection::wake(Request* ended, const Request* mine) const noexcept {
  while (ended != nullptr) {
    Request* const one = std::exchange(ended, ended->also_ended);
    if (one->posting != nullptr) {
      one->posting->ended(outcome_of(*one));
    } else if (one != mine) {
      one->parker.unpark();
    }
  }
}

void Connection::post(Posting& posting, Deadline until) {
  const auto now = Clock::now();
  Request& mine = posting.request_.emplace();
  mine.unsent = posting.command;
  mine.replies = std::span(&posting.reply, 1);
  mine.until = until;
  mine.connect_until = until;
  mine.patient = until > now + kSilence;
  mine.posting = &posting;
  {
    base::MutexLock lock(mutex_);
    look_for_end(now);
    pipeline_.append(mine);
    earliest_ = std::min(earliest_, until);
  }
  if (!base::Cork::hold(shared_from_this())) flush();
}

void Connection::flush() noexcept {
  base::MutexLock lock(mutex_);
  if (stopping_) return;
  write();
  if (awaits_posting_) posted_.notify_one();
}

void Connection::serve() {
  base::MutexLock lock(mutex_);
  while (!stopping_) {
    try {
      serve_once(lock);
    } catch (const std::exception&) {
      run_out_of_memory(pipeline_.first());
    }
    give_up_overdue();
    Request* const ended = pipeline_.take_ended();
    lock.unlock();
    {
      const base::Cork cork;
      wake(ended, nullptr);
    }
    lock.lock();
  }
  refuse_all();
  Request* const ended = pipeline_.take_ended();
  lock.unlock();
  wake(ended, nullptr);
  lock.lock();
}

void Connection::stop() {
  base::MutexLock lock(mutex_);
  stopping_ = true;
  if (stream_ && !why_ended_) hang_up(kClosed);
  posted_.notify_one();
}

void Connection::serve_once(base::MutexLock& lock) {
  if (why_ended_) return close();
  if (pipeline_.first() == nullptr) return wait_for_posting(lock);
  lingered_ = false;
  if (!stream_) return connect(*pipeline_.first());
  write();
  exchange(std::min(earliest_, Clock::now() + kLook), nullptr);
}

// A thread that is already reading need not be woken for the next posting.
void Connection::wait_for_posting(base::MutexLock& lock) {
  if (stream_ && !std::exchange(lingered_, true)) {
    exchange(Clock::now() + kLook, nullptr);
    return;
  }
  awaits_posting_ = true;
  while (pipeline_.first() == nullptr && !stopping_) posted_.wait(lock);
  awaits_posting_ = false;
}

void Connection::give_up_overdue() {
  const auto now = Clock::now();
  if (now < earliest_) return;
  earliest_ = Deadline::max();
  Request* next = pipeline_.first();
  while (next != nullptr) {
    Request& one = *std::exchange(next, next->next);
    if (one.until <= now) {
      give_up(one);
    } else {
      earliest_ = std::min(earliest_, one.until);
    }
  }
}

void Connection::refuse_all() noexcept {
  try {
    if (why_ended_) close();
    const Failure why =
        base::connection_lost(connector_.called(), Errc::unavailable, kClosed);
    while (Request* const one = pipeline_.first()) pipeline_.refuse(*one, why);
  } catch (const std::exception&) {
    while (Request* const one = pipeline_.first()) run_out_of_memory(one);
  }
}

void Connection::connect(Request& mine) {
  if (mine.connects++ == kMostConnects) return abandon(mine);
  Request* const ended = pipeline_.take_ended();
  const auto generation = connector_.generation();
  Result<std::unique_ptr<Stream>> stream(nullptr);
  {
    const base::MutexUnlock unlock(mutex_);
    wake(ended, &mine);
    stream = connector_.connect(mine.connect_until);
  }
  const bool late = !stream && Clock::now() >= mine.connect_until;
  if (stream) {
    reader_.emplace();
    stream_ = *std::move(stream);
    breaks_seen_ = connector_.breaks();
    generation_ = generation;
    open_ = true;
    return write();
  }
  if (late) return pipeline_.refuse(mine, stream.error());
  while (Request* const one = pipeline_.first()) pipeline_.refuse(*one, stream.error());
}

void Connection::read(Request& mine) {
  if (!exchange(mine.until, &mine)) return give_up(mine);
  if (why_ended_ || mine.end) return;
  if (Clock::now() >= mine.until) give_up(mine);
}

// Waits for bytes, writes what may be written and takes what has come. Returns false if
// the deadline passed first.
bool Connection::exchange(Deadline until, const Request* mine) {
  const bool more = !pipeline_.all_sent();
  Stream& stream = *stream_;  // Only the leader replaces the stream.
  Request* const ended = pipeline_.take_ended();
  bool in_time = false;
  {
    const base::MutexUnlock unlock(mutex_);
    wake(ended, mine);
    in_time = stream.wait(more, until);
  }
  if (!in_time) return false;
  take_arrived();
  return true;
}

void Connection::take_arrived() {
  write();
  const auto bytes = stream_->read_some();
  if (!bytes) return hang_up(bytes.error().context);
  if (!bytes->empty()) parse(*bytes);
}

void Connection::write() noexcept {
  try {
    write_all();
  } catch (const std::exception&) {
    run_out_of_memory(nullptr);
  }
}

void Connection::write_all() {
  if (!stream_ || why_ended_) return;
  while (!pipeline_.all_sent()) {
    const auto sent = stream_->write_some(pipeline_.unsent());
    if (!sent) return hang_up(sent.error().context);
    if (*sent == 0) return;
    pipeline_.sent(*sent, reads_);
  }
}

void Connection::parse(std::string_view bytes) {
  ++reads_;
  if (auto fed = reader_->feed(bytes); !fed) return hang_up(fed.error().context);
  for (;;) {
    auto reply = reader_->next();
    if (!reply) return hang_up(reply.error().context);
    if (!*reply) return;
    const ReplyView said = (*reply)->view();
    const bool replica = said.is_error() && is_of_replica(said);
    if (!pipeline_.accept(**reply)) return hang_up("a reply without a request");
    reader_->reuse(**std::move(reply));
    if (replica) {
      connector_.mark_stale(generation_);
      return hang_up("the server has become a replica");
    }
  }
}

// The caller's deadline has passed. A connection that has brought no bytes since this
// request was sent is taken for dead.
void Connection::give_up(Request& mine) noexcept {
  const bool dead = mine.sent && mine.patient && mine.reads_before == reads_;
  abandon(mine);
  if (dead && stream_) hang_up("it does not answer");
}

void Connection::abandon(Request& mine) noexcept {
  try {
    pipeline_.abandon(mine);
  } catch (const std::exception&) {
    run_out_of_memory(&mine);
  }
}

// What was being read or written may be half done, so the connection is given up, and
// with it the request of the caller, whose stack it is on.
void Connection::run_out_of_memory(Request* mine) noexcept {
  if (stream_) hang_up(kNoMemory);
  if (mine == nullptr || mine->end) return;
  mine->why = base::no_memory("ask", connector_.called(),
                              mine->sent ? Errc::outcome_unknown : Errc::full);
  mine->unsent = {};  // The rest of it need not be sent.
  pipeline_.abandon(*mine);
}

// A command that is written to a connection that has ended may or may not have been
// executed. A connection that ended earlier is noticed here, so that nothing is written
// to it.
void Connection::look_for_end(Clock::time_point now) noexcept {
  const bool stale = generation_ != connector_.generation();
  const bool doubtful =
      stale || now - last_used_ > kIdle || breaks_seen_ != connector_.breaks();
  last_used_ = now;
  if (!doubtful || !stream_ || why_ended_ || !pipeline_.idle()) return;
  breaks_seen_ = connector_.breaks();
  if (stale || stream_->has_input_or_eof()) hang_up("it ended while idle");
}

void Connection::disconnect() {
  base::MutexLock lock(mutex_);
  if (stream_ && !why_ended_) hang_up("another server has become the primary");
}

// The leader may be reading, so only the leader closes the stream.
void Connection::hang_up(std::string_view why) noexcept {
  if (!why_ended_) {
    try {
      why_ended_.emplace(why);
    } catch (const std::exception&) {
      why_ended_.emplace(kNoMemory);
    }
  }
  open_ = false;
  stream_->shut_down();
}

// If there is no memory for the failure, the connection is still to be closed.
void Connection::close() {
  const std::string& server = connector_.called();
  pipeline_.break_off(
      *why_ended_ == kNoMemory
          ? base::no_memory("read from", server, Errc::outcome_unknown)
          : base::connection_lost(server, Errc::outcome_unknown, *why_ended_));
  why_ended_.reset();
  stream_.reset();
  connector_.broke();
}

}  // namespace holdfast::redis
