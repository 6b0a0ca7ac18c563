#include <charconv>
#include <utility>

#include "engines/redis/resource.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;
using engine::Entry;

constexpr std::chrono::nanoseconds kLookAgain = 1s;

std::string_view cut(std::string_view& text) {
  const auto bar = std::min(text.find('|'), text.size());
  const auto head = text.substr(0, bar);
  text.remove_prefix(std::min(bar + 1, text.size()));
  return head;
}

template <class T>
T number(std::string_view text) noexcept {
  T value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// A record is spelt state|token|tokens|since|permits|mode|payload.
void read_record(std::string_view record, Entry& entry) {
  // A peer's claim has no record: its layout says nothing more.
  if (record.empty()) return;
  (void)cut(record);
  entry.token = {number<std::uint64_t>(cut(record))};
  (void)cut(record);
  entry.since = std::chrono::system_clock::time_point(
      std::chrono::milliseconds(number<std::int64_t>(cut(record))));
  entry.permits = number<std::uint32_t>(cut(record));
  entry.mode = cut(record) == "r" ? engine::Mode::shared : engine::Mode::exclusive;
  entry.payload = record;
}

// A row is {owner, granted, record, pttl[, mode]}.
Entry read_entry(ReplyView row) {
  Entry entry;
  entry.owner = row[0].text();
  entry.granted = row[1].number() == 1;
  read_record(row[2].text(), entry);
  if (row[4].text() == "r") entry.mode = engine::Mode::shared;
  if (entry.granted && row[3].number() >= 0) {
    entry.left = std::chrono::milliseconds(row[3].number());
  }
  return entry;
}

}  // namespace

Result<std::vector<Entry>> RedisResource::survey(std::size_t limit,
                                                 engine::Deadline until) {
  if (layout_.survey.script == nullptr) return std::vector<Entry>{};
  Invocation call = this->call(layout_.survey, {});
  call.arg(limit).arg(key_names().record_prefix());
  add_args(call, layout_.survey, {});
  const auto reply = run(call, until);
  if (!reply) return reply.error();
  std::vector<Entry> entries;
  const ReplyView rows = reply->view();
  for (std::size_t i = 0; i < rows.size(); ++i) entries.push_back(read_entry(rows[i]));
  return entries;
}

Result<engine::Watch> RedisResource::watch(const engine::Waker& waker,
                                           engine::Deadline until) {
  struct WatchSubscriber final : Subscriber {
    explicit WatchSubscriber(engine::Waker w) noexcept : waker(std::move(w)) {}
    void on_message(std::string_view) noexcept override { waker->ring(); }
    void on_gap() noexcept override { waker->ring(); }
    const engine::Waker waker;
  };
  struct Keep {
    std::shared_ptr<Backend> backend;
    std::string channel;
    std::shared_ptr<WatchSubscriber> subscriber;
    ~Keep() { backend->pub_sub().unsubscribe(channel, *subscriber); }
  };
  auto keep = std::make_shared<Keep>(Keep{backend_, key_names().text(Part::channel),
                                          std::make_shared<WatchSubscriber>(waker)});
  const auto subscribed =
      backend_->pub_sub().subscribe(keep->channel, keep->subscriber, until);
  if (!subscribed) return subscribed.error();
  return engine::Watch{std::move(keep), kLookAgain};
}

}  // namespace holdfast::redis
