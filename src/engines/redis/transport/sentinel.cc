// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/sentinel.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/common_failures.h"
#include "base/time_left.h"
#include "engines/redis/errors.h"
#include "engines/redis/transport/command.h"
#include "engines/redis/transport/handshake.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;
using engine::Deadline;

constexpr auto kAnswerTime = 600ms;  // the time that one sentinel gets to answer
constexpr auto kBetweenRounds =
    100ms;  // the least time between two rounds of questions
constexpr std::size_t kMostSentinels = 32;
constexpr const char* kSwitched = "+switch-master";

// Returns the value of a field in a list of names and values; it is nil if there is no
// such field.
ReplyView value_of(ReplyView fields, std::string_view name) {
  std::size_t i = 0;
  while (i < fields.size() && fields[i].text() != name) i += 2;
  return fields[i + 1];
}

base::Host host_of(std::string_view name, std::int64_t port) {
  return {std::string(name), static_cast<std::uint16_t>(port)};
}

bool is_port(std::int64_t port) noexcept { return port > 0 && port <= 65'535; }

std::string questions_about(const std::string& name) {
  std::string out;
  Command(out, 3).add("SENTINEL").add("GET-MASTER-ADDR-BY-NAME").add(name);
  Command(out, 3).add("SENTINEL").add("MASTER").add(name);
  Command(out, 3).add("SENTINEL").add("SENTINELS").add(name);
  return out;
}

}  // namespace

// A user that may only ask for the address has no epoch and names no other sentinels.
Result<SentinelAnswer> read_sentinel_answer(std::span<const Reply> replies,
                                            const Endpoint& sentinel,
                                            const std::string& name) {
  const ReplyView address = replies[0].view();
  const ReplyView fields = replies[1].view();
  const ReplyView others = replies[2].view();
  if (address.is_error()) {
    if (address.text().starts_with("ERR unknown command")) {
      return Failure(Errc::bad_url, sentinel.spelt() +
                                        " is a Redis server and not a sentinel: its "
                                        "URL is " +
                                        (sentinel.tls.on ? "rediss://" : "redis://") +
                                        sentinel.spelt());
    }
    return failure_of(address, sentinel.name());
  }
  if (address.size() != 2 || !is_port(address[1].number())) {
    return Failure(Errc::bad_url,
                   sentinel.called() + " watches no primary that is called " +
                       base::in_quotes(name) +
                       ": the URL ends with the name of \"sentinel monitor\" in "
                       "the sentinels' configuration");
  }
  SentinelAnswer answer{
      .primary = host_of(address[0].text(), address[1].number()),
      .epoch = value_of(fields, "config-epoch").number(),
      .replicas = static_cast<int>(value_of(fields, "num-slaves").number())};
  for (std::size_t i = 0; i < others.size(); ++i) {
    const auto port = value_of(others[i], "port").number();
    if (is_port(port))
      answer.others.push_back(host_of(value_of(others[i], "ip").text(), port));
  }
  return answer;
}

bool is_believed(const SentinelAnswer& best, bool most_answered,
                 const std::optional<SentinelAnswer>& known) noexcept {
  return !known || best.epoch >= known->epoch || most_answered;
}

// A sentinel publishes "<name> <old host> <port> <new host> <port>".
class Sentinels::News final : public ChannelListener {
 public:
  News(Sentinels& sentinels, const Sentinel& from) noexcept
      : sentinels_(sentinels), from_(from) {}

  void on_message(std::string_view message) noexcept override {
    const std::string& name = sentinels_.options_.name;
    if (message.starts_with(name) && message.substr(name.size()).starts_with(' ')) {
      sentinels_.ask_again(&from_);
    }
  }
  void on_gap() noexcept override { sentinels_.ask_again(nullptr); }

 private:
  Sentinels& sentinels_;
  const Sentinel& from_;
};

struct Sentinels::Sentinel {
  Sentinel(Endpoint where, Sentinels& all, const RetryPolicy& retry)
      : endpoint(std::move(where)),
        requests(endpoint, nullptr, nullptr, retry),
        news(std::make_shared<News>(all, *this)),
        pub_sub(endpoint, retry) {
    listen();
  }

  // The sentinel confirms it later, which counts as a gap. The system may have had no
  // thread for it before.
  void listen() {
    if (pub_sub.is_subscribed(kSwitched)) return;
    (void)pub_sub.subscribe(kSwitched, news, Deadline::min());
  }

  const Endpoint endpoint;
  Requests requests;
  const std::shared_ptr<News> news;
  PubSub pub_sub;
};

Sentinels::Sentinels(const SentinelOptions& options, Endpoint like,
                     std::function<void()> switched, const RetryPolicy& retry)
    : options_(options),
      like_(std::move(like)),
      switched_(std::move(switched)),
      retry_(retry),
      refresher_("hf-redis-watch", kBetweenRounds, retry,
                 [this] { return refresh(); }) {}

// The threads of the subscriptions end with the sentinels, and until then call
// `ask_again`.
Sentinels::~Sentinels() {
  stop();
  std::vector<std::shared_ptr<Sentinel>> gone;  // It is destroyed without the mutex.
  base::MutexLock lock(mutex_);
  gone.swap(sentinels_);
}

void Sentinels::stop() noexcept { refresher_.stop(); }

Result<void> Sentinels::open(Deadline until) {
  add_sentinels(options_.hosts);
  if (!refresher_.start()) {
    return base::no_thread("ask the sentinels at " + base::spell(options_.hosts));
  }
  auto found = primary(until);
  if (!found) return std::move(found).error();
  return {};
}

Route Sentinels::to_primary() {
  const std::string where =
      like_.spelt() + " (sentinels " + base::spell(options_.hosts) + ")";
  return {{.called = "Redis at " + where, .fails_over = true},
          [this](Deadline until) { return connect(until); }};
}

// The primary may change while the connection is made.
Result<std::unique_ptr<Stream>> Sentinels::connect(Deadline until) {
  Endpoint endpoint = like_;
  for (;;) {
    auto host = primary(until);
    if (!host) return std::move(host).error();
    endpoint.host = *std::move(host);
    auto stream = open_stream(endpoint, until);
    if (!stream) ask_again(nullptr);
    if (!stream || primary(until).value() == endpoint.host) return stream;
  }
}

int Sentinels::replicas() const {
  base::MutexLock lock(mutex_);
  return known_ ? known_->replicas : 0;
}

std::optional<base::Host> Sentinels::known_primary() const {
  base::MutexLock lock(mutex_);
  return known_ ? std::optional(known_->primary) : std::nullopt;
}

std::vector<base::Host> Sentinels::hosts() const {
  std::vector<base::Host> all = options_.hosts;
  base::MutexLock lock(mutex_);
  if (!known_) return all;
  for (const base::Host& each : known_->others) {
    if (std::ranges::find(all, each) == all.end()) all.push_back(each);
  }
  return all;
}

Result<base::Host> Sentinels::primary(Deadline until) {
  base::MutexLock lock(mutex_);
  while (!known_) {
    if (why_) return *why_;
    const auto left = base::time_left(until);
    if (left == 0ns) {
      return base::not_answered(
          "the group of sentinels at " + base::spell(options_.hosts),
          Errc::unavailable);
    }
    changed_.wait_for(lock, left);
  }
  return known_->primary;
}

// The sentinel that tells of a change is asked before those that may not know of it
// yet.
void Sentinels::ask_again(const Sentinel* first) {
  {
    base::MutexLock lock(mutex_);
    const auto at = std::ranges::find_if(
        sentinels_, [&](const auto& each) { return each.get() == first; });
    if (at != sentinels_.end()) std::rotate(sentinels_.begin(), at, at + 1);
  }
  refresher_.request_refresh();
}

// While a primary is known, a round that brought nothing is repeated when a sentinel
// has news.
bool Sentinels::refresh() {
  const auto asked = ask_all();
  base::MutexLock lock(mutex_);
  why_ = asked ? std::nullopt : std::optional(asked.error());
  if (!known_) refresher_.request_refresh();
  changed_.notify_all();
  return asked.has_value();
}

// A round ends when a sentinel knows of a later failover, or when most have answered
// and know of the last one.
Result<void> Sentinels::ask_all() {
  std::vector<std::shared_ptr<Sentinel>> sentinels;
  std::optional<SentinelAnswer> known;
  {
    base::MutexLock lock(mutex_);
    sentinels = sentinels_;
    known = known_;
  }
  Failure why(Errc::unavailable, "the URL names no sentinel of " +
                                     base::in_quotes(options_.name) +
                                     ": name one, as in redis+sentinel://host/name");
  std::optional<SentinelAnswer> best;
  std::size_t answers = 0;
  const auto most_answered = [&] { return 2 * answers > sentinels.size(); };
  const auto is_over = [&] {
    if (!known) return most_answered();
    return best->epoch > known->epoch ||
           (best->epoch == known->epoch && most_answered());
  };
  for (const auto& each : sentinels) {
    auto answer = ask(*each);
    if (!answer) {
      // What will not go away by itself is worth telling.
      if (why.code == Errc::unavailable) why = std::move(answer).error();
      continue;
    }
    ++answers;
    if (!best || answer->epoch > best->epoch) best = *std::move(answer);
    if (is_over()) break;
  }
  if (!best) {
    if (known) add_sentinels(known->others);
    return why;
  }
  if (is_believed(*best, most_answered(), known)) put(*best);
  return {};
}

Result<SentinelAnswer> Sentinels::ask(Sentinel& sentinel) const {
  sentinel.listen();
  std::array<Reply, 3> replies;
  auto done = sentinel.requests.call(questions_about(options_.name), replies,
                                     Clock::now() + kAnswerTime);
  if (!done) return std::move(done).error();
  auto answer = read_sentinel_answer(replies, sentinel.endpoint, options_.name);
  if (!answer) return answer;
  answer->primary = reached_by(options_.nat, answer->primary);
  for (base::Host& each : answer->others) each = reached_by(options_.nat, each);
  return answer;
}

void Sentinels::put(const SentinelAnswer& answer) {
  bool moved = false;
  {
    base::MutexLock lock(mutex_);
    moved = known_ && known_->primary != answer.primary;
    known_ = answer;
    changed_.notify_all();
  }
  if (moved && switched_) switched_();
}

void Sentinels::add_sentinels(const std::vector<base::Host>& hosts) {
  for (const base::Host& host : hosts) {
    Endpoint endpoint = like_;
    endpoint.host = host;
    endpoint.is_sentinel = true;
    endpoint.user = options_.user;
    endpoint.password = options_.password;
    endpoint.db = 0;
    {
      base::MutexLock lock(mutex_);
      const auto same = [&](const auto& each) { return each->endpoint.host == host; };
      if (std::ranges::any_of(sentinels_, same)) continue;
      if (sentinels_.size() >= kMostSentinels) return;
    }
    // It subscribes, which must not happen with the mutex held.
    auto sentinel = std::make_shared<Sentinel>(std::move(endpoint), *this, retry_);
    base::MutexLock lock(mutex_);
    sentinels_.push_back(std::move(sentinel));
  }
}

}  // namespace holdfast::redis
