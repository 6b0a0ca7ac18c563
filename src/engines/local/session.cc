// SPDX-License-Identifier: Apache-2.0

#include "engines/local/session.h"

#include <utility>

#include "base/fencing.h"
#include "base/thread_signal.h"
#include "engines/local/listing.h"
#include "engines/local/names.h"
#include "engines/local/resource.h"
#include "engines/local/wakeups.h"
#include "holdfast/names.h"

namespace holdfast::local {

LocalSession::LocalSession(std::shared_ptr<ProcessSlot> process,
                           std::vector<std::string> warnings) noexcept
    : process_(std::move(process)), warnings_(std::move(warnings)) {}

engine::Traits LocalSession::traits(engine::Kind kind) const noexcept {
  engine::Traits traits;
  traits.supported = true;
  traits.fences = traits.grants_named_tokens = base::can_fence(kind);
  traits.orders = kind != engine::Kind::mutex;
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
                                 engine::Deadline until) {
  process_->notice_deletion();
  for (auto& ref : refs) {
    const auto renewed =
        static_cast<LocalResource*>(ref.resource)->renew(*ref.claim, until);
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
                                        engine::Deadline until) {
  return list_names(*process_, prefix, from, until);
}

engine::Waker LocalSession::signal() {
  const auto cell = process_->take_signal();
  // The segment is full, so the liveness thread rings this signal.
  if (!cell) return std::make_shared<base::ThreadSignal>();
  return std::make_shared<LocalSignal>(process_, *cell);
}

}  // namespace holdfast::local
