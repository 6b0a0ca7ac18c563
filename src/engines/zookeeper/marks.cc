#include "engines/zookeeper/marks.h"

#include <algorithm>
#include <charconv>

namespace holdfast::zookeeper {
namespace {

constexpr std::size_t kFewest = 4;   // so that an answer is remembered for a while
constexpr std::size_t kMost = 1024;  // with outcomes that nobody asked for again

std::string ticket_text(engine::Ticket ticket) {
  return std::to_string(static_cast<std::uint64_t>(ticket));
}

}  // namespace

// No name is spelt with a bare percent sign.
Marks::Marks(const std::string& root, const std::string& client)
    : prefix_(root + "/%marks/" + client + "-") {}

Mark& Marks::take(engine::Ticket ticket) {
  base::MutexLock lock(mutex_);
  auto found = std::find_if(marks_.begin(), marks_.end(), [&](const Mark& each) {
    return each.ticket == ticket && !each.busy;
  });
  if (found == marks_.end() && marks_.size() >= kFewest) {
    const bool many = marks_.size() >= kMost;
    found = std::find_if(marks_.begin(), marks_.end(), [&](const Mark& each) {
      return !each.busy && (many || each.known || each.sent_in == 0);
    });
  }
  if (found == marks_.end()) {
    found = marks_.insert(marks_.end(), Mark{prefix_ + std::to_string(made_++)});
  }
  marks_.splice(marks_.end(), marks_, found);
  if (found->ticket != ticket) {
    found->ticket = ticket;
    found->known.reset();
    found->sent_in = 0;
  }
  found->busy = true;
  return *found;
}

void Marks::give_back(Mark& mark) {
  base::MutexLock lock(mutex_);
  mark.busy = false;
}

Op Marks::write(const Mark& mark, std::int64_t session,
                std::optional<std::int64_t> number) {
  std::string text = ticket_text(mark.ticket);
  if (number) text += " " + std::to_string(*number);
  const bool there = mark.session == session;
  return {.what = there ? Op::What::set : Op::What::create,
          .path = mark.path,
          .data = std::move(text),
          .node = Node::ephemeral};
}

// The mark and the register were written by one transaction: its number is the version
// of both.
std::optional<engine::Value> Marks::read(const Mark& mark, const Answer& node) {
  const std::string ticket = ticket_text(mark.ticket);
  if (!node.ok() || !node.text.starts_with(ticket)) return std::nullopt;
  const std::string_view rest = std::string_view(node.text).substr(ticket.size());
  if (rest.empty()) return engine::Value{};
  if (rest.front() != ' ') return std::nullopt;
  engine::Value value;
  std::from_chars(rest.data() + 1, rest.data() + rest.size(), value.number);
  value.version = static_cast<std::uint64_t>(node.stat.mzxid);
  return value;
}

}  // namespace holdfast::zookeeper
