// SPDX-License-Identifier: Apache-2.0

#include "service/test_pages.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "holdfast/admin.h"
#include "holdfast/client_options.h"
#include "holdfast/holder.h"
#include "holdfast/latch.h"
#include "holdfast/lease.h"
#include "holdfast/mutex.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"
#include "http/query.h"
#include "report/text.h"

namespace holdfast::shop {
namespace {

constexpr std::chrono::milliseconds kTestLease{10'000};
constexpr std::chrono::seconds kTestWait{50};
constexpr std::uint32_t kTestPermits = 3;
constexpr std::int64_t kTestCount = 6;
constexpr std::size_t kLongestName = 64;

const std::string kTestLock = "shop/test/lock";
const std::string kTestShared = "shop/test/read-write";
const std::string kTestSemaphore = "shop/test/semaphore";
const std::string kTestLatch = "shop/test/latch";

// Waiting for a latch leaves no trace at the engine. A permit of this semaphore, which
// is never used up, says that its holder is at the latch.
const std::string kAtLatch = "shop/test/at-latch";
constexpr std::uint32_t kRoomAtLatch = 1'000'000;

using Since = std::optional<std::chrono::system_clock::time_point>;

std::string visit_json(std::string_view page, std::string_view state,
                       std::string_view client, const Since& since,
                       const std::string& more = {}) {
  std::string ms = "null";
  if (since) {
    ms = std::to_string(
        std::chrono::duration_cast<std::chrono::milliseconds>(since->time_since_epoch())
            .count());
  }
  return "{\"name\":" + json_string(page) + ",\"state\":" + json_string(state) +
         ",\"client\":" + json_string(client) + ",\"since\":" + ms + more + "}";
}

HttpResponse visit(std::string_view page, std::string_view state,
                   std::string_view client, const std::string& more = {}) {
  return {.body =
              visit_json(page, state, client, std::chrono::system_clock::now(), more) +
              "\n"};
}

HttpResponse sorry(int status, const std::string& why) {
  return {.status = status, .type = "text/plain; charset=utf-8", .body = why + "\n"};
}

std::chrono::milliseconds lease_in(const std::string& target) {
  const std::string text = query_value(target, "lease_ms").value_or("");
  int number = 0;
  const char* const end = text.data() + text.size();
  const bool given = !text.empty() &&
                     std::from_chars(text.data(), end, number).ptr == end && number > 0;
  return given ? std::min(std::chrono::milliseconds(number), kTestLease) : kTestLease;
}

// Throws holdfast::Error.
Hold acquire(const std::string& page, const Client& client, const LeaseOptions& lease,
             const WaitOptions& wait) {
  if (page == "lock") return Mutex(client, kTestLock, lease).acquire(wait).value();
  if (page == "semaphore") {
    return Semaphore(client, kTestSemaphore, kTestPermits, lease).acquire(wait).value();
  }
  SharedMutex mutex(client, kTestShared, lease);
  return (page == "read" ? mutex.acquire_shared(wait) : mutex.acquire(wait)).value();
}

std::string page_of(const engine::Address& address, const engine::Entry& entry) {
  if (address.name == kTestLock) return "lock";
  if (address.name == kTestSemaphore) return "semaphore";
  if (address.name == kAtLatch) return "latch";
  return entry.mode == engine::Mode::shared ? "read" : "write";
}

// A quorum has neither semaphores nor latches.
template <class T>
bool is_unsupported(const Result<T>& result) {
  return !result && result.error() == Errc::unsupported;
}

void add_visits(std::string& list, const ResourceState& found) {
  const bool at_latch = found.address.name == kAtLatch;
  const auto add = [&](const engine::Entry& entry, std::string_view state) {
    list += list.empty() ? "" : ",";
    list += visit_json(page_of(found.address, entry), at_latch ? "waiting" : state,
                       printable(entry.payload), entry.since);
  };
  for (const engine::Entry& each : found.holders) add(each, "in");
  for (const engine::Entry& each : found.waiters) add(each, "waiting");
}

}  // namespace

TestPages::TestPages(std::string url, std::string service)
    : url_(std::move(url)), service_(std::move(service)) {}

HttpResponse TestPages::answer(const HttpRequest& request) {
  const std::string page(path_of(request.target).substr(kTestPath.size()));
  constexpr std::string_view kPages[] = {"lock",  "read",      "write", "semaphore",
                                         "latch", "countdown", "state"};
  if (std::find(std::begin(kPages), std::end(kPages), page) == std::end(kPages)) {
    return sorry(404, "there is no such page");
  }
  if (request.method != "GET") return sorry(405, "use GET");
  try {
    if (page == "state") return state();
    const Visitor visitor = visitor_of(request);
    if (page == "latch") return await_latch(visitor);
    return page == "countdown" ? count_down(visitor) : enter(page, visitor);
  } catch (const Error& e) {
    return sorry(503, e.failure().message());
  }
}

TestPages::Visitor TestPages::visitor_of(const HttpRequest& request) {
  std::string name = query_value(request.target, "client").value_or("");
  name = printable(name.substr(0, kLongestName));
  if (name.empty()) {
    const std::scoped_lock lock(mutex_);
    name = service_ + ", visitor " + std::to_string(++visitors_);
  }
  return {.name = name,
          .client = Client::open(url_, {.payload = name}).value(),
          .lease = lease_in(request.target)};
}

HttpResponse TestPages::enter(const std::string& page, const Visitor& visitor) {
  keep(visitor.client, acquire(page, visitor.client, LeaseOptions::fixed(visitor.lease),
                               {.wait = kTestWait, .stop = closing_.get_token()}));
  return visit(page, "in", visitor.name);
}

HttpResponse TestPages::await_latch(const Visitor& visitor) {
  Latch latch(visitor.client, kTestLatch);
  (void)latch.set_count(kTestCount).value();  // unless it is closed already
  const Permits here = Semaphore(visitor.client, kAtLatch, kRoomAtLatch)
                           .acquire({.wait = kTestWait})
                           .value();
  latch.wait({.wait = kTestWait, .stop = closing_.get_token()}).value();
  return visit("latch", "done", visitor.name);
}

HttpResponse TestPages::count_down(const Visitor& visitor) {
  Latch latch(visitor.client, kTestLatch);
  (void)latch.set_count(kTestCount).value();
  const std::int64_t left = latch.count_down().value();
  return visit("countdown", "done", visitor.name, ",\"left\":" + std::to_string(left));
}

HttpResponse TestPages::state() {
  std::unique_lock lock(mutex_);
  if (!observer_) observer_ = Client::open(url_).value();
  const Client client = *observer_;
  lock.unlock();
  std::string visits;
  for (const engine::Address& address :
       {engine::Address{engine::Kind::mutex, kTestLock},
        engine::Address{engine::Kind::shared_mutex, kTestShared},
        engine::Address{engine::Kind::semaphore, kTestSemaphore},
        engine::Address{engine::Kind::semaphore, kAtLatch}}) {
    const auto found = inspect(client, address);
    if (!is_unsupported(found)) add_visits(visits, found.value());
  }
  const auto count = Latch(client, kTestLatch).count();
  const std::int64_t left = is_unsupported(count) ? 0 : count.value();
  return {.body = "{\"visits\":[" + visits +
                  "],\"latch_left\":" + std::to_string(left) + "}\n"};
}

void TestPages::keep(const Client& client, Hold hold) {
  std::list<std::pair<Client, Hold>> over;  // ends outside the lock
  const std::scoped_lock lock(mutex_);
  for (auto each = holds_.begin(); each != holds_.end();) {
    const auto next = std::next(each);
    if (!each->second.valid()) over.splice(over.end(), holds_, each);
    each = next;
  }
  holds_.emplace_back(client, std::move(hold));
}

}  // namespace holdfast::shop
