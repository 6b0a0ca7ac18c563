#include "engines/etcd/marks.h"

#include <algorithm>
#include <charconv>

#include "engines/etcd/keys.h"

namespace holdfast::etcd {
namespace {

constexpr std::size_t kFewest = 4;  // so that an answer is remembered for a while

std::string ticket_text(engine::Ticket ticket) {
  return hex(static_cast<std::uint64_t>(ticket));
}

}  // namespace

Mark& Marks::take(engine::Ticket ticket) {
  base::MutexLock lock(mutex_);
  auto found = std::find_if(marks_.begin(), marks_.end(), [&](const Mark& each) {
    return each.ticket == ticket && !each.busy;
  });
  if (found == marks_.end() && marks_.size() >= kFewest) {
    found = std::find_if(marks_.begin(), marks_.end(),
                         [](const Mark& each) { return !each.busy; });
  }
  if (found == marks_.end()) {
    found = marks_.insert(marks_.end(), Mark{std::to_string(made_++)});
  }
  marks_.splice(marks_.end(), marks_, found);
  if (found->ticket != ticket) {
    found->ticket = ticket;
    found->known.reset();
    found->in_doubt = false;
  }
  found->busy = true;
  return *found;
}

void Marks::give_back(Mark& mark) {
  base::MutexLock lock(mutex_);
  mark.busy = false;
}

std::string Marks::key_of(const Mark& mark) const {
  return prefix_ + hex(static_cast<std::uint64_t>(mark.lease)) + "-" + mark.name;
}

std::string Marks::text_of(const Mark& mark, std::optional<std::int64_t> number) {
  std::string text = ticket_text(mark.ticket);
  if (number) text += " " + std::to_string(*number);
  return text;
}

// The mark and the register were written by one transaction: its revision is the
// version of both.
std::optional<engine::Value> Marks::read(const Mark& mark, const wire::KeyValue* kv) {
  const std::string ticket = ticket_text(mark.ticket);
  if (kv == nullptr || !kv->value().starts_with(ticket)) return std::nullopt;
  const std::string_view rest = std::string_view(kv->value()).substr(ticket.size());
  if (rest.empty()) return engine::Value{};
  if (rest.front() != ' ') return std::nullopt;
  engine::Value value;
  std::from_chars(rest.data() + 1, rest.data() + rest.size(), value.number);
  value.version = static_cast<std::uint64_t>(kv->mod_revision());
  return value;
}

}  // namespace holdfast::etcd
