// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/listing.h"

#include <optional>
#include <string>
#include <utility>

#include "engines/etcd/names.h"
#include "engines/etcd/register_text.h"
#include "engines/etcd/transport/txn.h"

namespace holdfast::etcd {
namespace {

using engine::Kind;

constexpr std::int64_t kKeys = 500;  // keys in one request
constexpr std::size_t kPage = 100;

std::optional<Kind> kind_of(KeyRole role) noexcept {
  switch (role) {
    case KeyRole::lock:
      return Kind::mutex;
    case KeyRole::read:
    case KeyRole::write:
      return Kind::shared_mutex;
    case KeyRole::claim:
    case KeyRole::permits:
      return Kind::semaphore;
    case KeyRole::waiter:
    case KeyRole::ready:
      return Kind::double_barrier;
    case KeyRole::other:
      return std::nullopt;
  }
  return std::nullopt;
}

// The key of a lock ends in the id of its lease. Any other key directly below a name is
// not Holdfast's.
bool is_of_a_lock(const wire::KeyValue& kv, std::string_view last) noexcept {
  return kv.lease() != 0 &&
         last.starts_with(hex(static_cast<std::uint64_t>(kv.lease())));
}

class Walk {
 public:
  Walk(Backend& backend, std::string_view prefix, std::string_view from)
      : backend_(backend),
        root_(backend.options().root),
        raw_(backend.options().raw_names),
        prefix_(prefix),
        from_(from) {}

  Result<engine::Page> run(engine::Deadline until) {
    wire::RangeRequest range = all_below(root_ + spelt(prefix_));
    if (from_ > prefix_) range.set_key(root_ + spelt(from_));
    if (range.key().empty()) range.set_key(std::string(1, '\0'));
    range.set_limit(kKeys);
    for (;;) {
      const auto answer = backend_.calls().range(range, until);
      if (!answer) return answer.error();
      for (const wire::KeyValue& kv : answer->kvs()) {
        visit(kv);
        if (!page_.next.empty()) return std::move(page_);
      }
      if (!answer->more() || answer->kvs_size() == 0) return std::move(page_);
      range.set_key(answer->kvs(answer->kvs_size() - 1).key() + '\0');
    }
  }

 private:
  std::string spelt(const std::string& name) const {
    return raw_ ? name : encode_name(name);
  }

  void visit(const wire::KeyValue& kv) {
    const std::string_view key = std::string_view(kv.key()).substr(root_.size());
    if (key.starts_with("%marks/") || key.starts_with("%gone/")) return;
    const auto slash = raw_ ? last_name_end(key) : key.find('/');
    const std::string_view name = key.substr(0, slash);
    std::optional<Kind> kind;
    if (slash == std::string_view::npos) {
      kind = kind_of_number(kv.value()).value_or(Kind::barrier);
      if (kind == Kind::barrier && !kv.value().empty()) return;
    } else {
      const std::string_view rest = key.substr(slash + 1);
      const KeyRole role = role_of(rest);
      if (role == KeyRole::lock && !is_of_a_lock(kv, rest)) return;
      kind = kind_of(role);
    }
    if (kind) add(*kind, name);
  }

  // Where names are paths, the rest of the key says where the name ends.
  static std::size_t last_name_end(std::string_view key) {
    const auto last = key.rfind('/');
    if (last == std::string_view::npos || last == 0) return std::string_view::npos;
    const auto before = key.rfind('/', last - 1);
    if (before != std::string_view::npos && before > 0) {
      const KeyRole role = role_of(key.substr(before + 1));
      if (is_claim_key(role) && role != KeyRole::lock) return before;
    }
    return last;
  }

  void add(Kind kind, std::string_view spelling) {
    const auto name =
        raw_ ? std::optional(std::string(spelling)) : decode_name(spelling);
    if (!name || name->empty() || !name->starts_with(prefix_) || *name <= from_) return;
    if (!page_.addresses.empty() && page_.addresses.back().name == *name) return;
    if (page_.addresses.size() == kPage) {
      page_.next = page_.addresses.back().name;
    } else {
      page_.addresses.push_back({kind, *name});
    }
  }

  Backend& backend_;
  const std::string root_;
  const bool raw_;
  const std::string prefix_;
  const std::string from_;
  engine::Page page_;
};

}  // namespace

Result<engine::Page> list_names(Backend& backend, std::string_view prefix,
                                std::string_view from, engine::Deadline until) {
  return Walk(backend, prefix, from).run(until);
}

}  // namespace holdfast::etcd
