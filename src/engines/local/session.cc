#include "engines/local/session.h"

#include <charconv>
#include <utility>

#include "base/fencing.h"
#include "base/thread_signal.h"
#include "engines/local/guard.h"
#include "engines/local/heap.h"
#include "engines/local/names.h"
#include "engines/local/resource.h"
#include "engines/local/signal.h"
#include "holdfast/clock.h"
#include "holdfast/names.h"

namespace holdfast::local {
namespace {

constexpr std::size_t kPage = 256;

}  // namespace

LocalSession::LocalSession(std::shared_ptr<ProcessSlot> process,
                           std::vector<std::string> warnings) noexcept
    : process_(std::move(process)), warnings_(std::move(warnings)) {}

LocalSession::~LocalSession() = default;

engine::Traits LocalSession::traits(engine::Kind kind) const noexcept {
  engine::Traits traits;
  traits.supported = true;
  traits.fences = base::can_fence(kind);
  traits.orders = true;
  traits.notifies = true;
  traits.versions = true;
  traits.downgrades = true;
  traits.survives = false;
  traits.many_hosts = false;
  traits.leased = false;
  traits.process_queue = false;
  return traits;
}

Result<std::shared_ptr<engine::Resource>> LocalSession::bind(
    const engine::Address& address) {
  if (auto good = check_name(address.name); !good) return good.error();
  if (!process_->present()) return process_->why_absent();
  const auto ref = find_name(process_->segment(), address.name, process_->me(),
                             engine::Deadline::max());
  if (!ref) return ref.error();
  return std::shared_ptr<engine::Resource>(
      std::make_shared<LocalResource>(process_, address, *ref));
}

Result<void> LocalSession::renew(std::span<engine::ClaimRef> refs,
                                 engine::Deadline deadline) {
  process_->notice_deletion();
  for (auto& ref : refs) {
    const auto renewed =
        static_cast<LocalResource*>(ref.resource)->renew(*ref.claim, deadline);
    if (renewed) {
      ref.granted = *renewed;
      ref.outcome = {};
    } else {
      ref.outcome = renewed.error().code;
    }
  }
  return {};
}

Result<engine::Page> LocalSession::list(std::string_view prefix, std::string_view from,
                                        engine::Deadline deadline) {
  BlockIndex start = 0;
  std::from_chars(from.data(), from.data() + from.size(), start);
  if (!process_->present()) return process_->why_absent();
  auto& segment = process_->segment();
  const HeapGuard heap(segment, process_->me(), deadline);
  if (!heap.entered()) return stuck(segment, segment.header().guard);
  engine::Page page;
  heap.each([&](BlockIndex index, Block& block) {
    if (index < start || block.live.load() == 0 || !is_record(block.shape.load()))
      return;
    const auto& record = segment.at<Record>(index);
    const auto word = record.word.load();
    const bool queued = record.first.load() != 0 || record.value.load() != 0;
    if (word_slot(word) == 0 && !queued) return;
    if (!name_of(record).starts_with(prefix)) return;
    if (page.addresses.size() == kPage) {
      if (page.next.empty()) page.next = std::to_string(index);
      return;
    }
    const auto kind = word_slot(word) != 0 ? engine::Kind::mutex : record.kind.load();
    page.addresses.push_back({kind, std::string(name_of(record))});
  });
  return page;
}

engine::Waker LocalSession::signal() {
  const auto cell = process_->take_signal();
  // The segment is full, so the liveness thread rings this signal.
  if (!cell) return std::make_shared<base::ThreadSignal>();
  return std::make_shared<LocalSignal>(process_, *cell);
}

}  // namespace holdfast::local
