// SPDX-License-Identifier: Apache-2.0

#include "base/resolver.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/fork_epoch.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "base/time_left.h"

namespace holdfast::base {
namespace {

using namespace std::chrono_literals;

constinit std::atomic<Lookup> g_lookup{nullptr};

template <class Address>
SocketAddress stored(const Address& address) noexcept {
  SocketAddress out;
  out.size = sizeof address;
  std::memcpy(&out.storage, &address, sizeof address);
  return out;
}

// If the host is an address, getaddrinfo is not needed.
std::optional<SocketAddress> read_address(const std::string& host, std::uint16_t port) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  if (inet_pton(AF_INET, host.c_str(), &four.sin_addr) == 1) return stored(four);
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  if (inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) == 1) return stored(six);
  return std::nullopt;
}

Result<Addresses> look_up(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  const Lookup stand_in = g_lookup.load();
  const Lookup lookup = stand_in != nullptr ? stand_in : getaddrinfo;
  addrinfo* found = nullptr;
  const int failed = lookup(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failed != 0) return Failure(Errc::unavailable, gai_strerror(failed));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, freeaddrinfo);

  Addresses addresses;
  for (const addrinfo* one = all.get(); one != nullptr; one = one->ai_next) {
    SocketAddress& address = addresses.emplace_back();
    address.size = one->ai_addrlen;
    std::memcpy(&address.storage, one->ai_addr, one->ai_addrlen);
  }
  return addresses;
}

// An Inquiry is one call of getaddrinfo, and the callers that wait for it.
class Inquiry {
 public:
  void answer(Result<Addresses> answer) {
    MutexLock lock(mutex_);
    answer_ = std::move(answer);
    answered_.notify_all();
  }

  std::optional<Result<Addresses>> wait(Clock::time_point until) {
    MutexLock lock(mutex_);
    while (!answer_) {
      const auto left = time_left(until);
      if (left == left.zero()) return std::nullopt;
      answered_.wait_for(lock, left);
    }
    return answer_;
  }

 private:
  Mutex mutex_;
  CondVar answered_;
  std::optional<Result<Addresses>> answer_ HOLDFAST_GUARDED_BY(mutex_);
};

// These are the calls that are under way, by host and port.
class Inquiries : public std::enable_shared_from_this<Inquiries> {
 public:
  explicit Inquiries(std::uint64_t epoch) noexcept : epoch_(epoch) {}

  std::uint64_t epoch() const noexcept { return epoch_; }

  std::shared_ptr<Inquiry> join(const std::string& host, std::uint16_t port) {
    const Key key(host, port);
    MutexLock lock(mutex_);
    auto& inquiry = under_way_[key];
    if (inquiry != nullptr) return inquiry;
    inquiry = std::make_shared<Inquiry>();
    try {
      start_thread("hf-resolver", [self = shared_from_this(), key, asked = inquiry] {
        self->ask(key, *asked);
      }).detach();
    } catch (const std::exception&) {  // There is no thread, or no memory for one.
      under_way_.erase(key);
      return nullptr;
    }
    return inquiry;
  }

 private:
  using Key = std::pair<std::string, std::uint16_t>;

  void ask(const Key& key, Inquiry& inquiry) {
    auto answer = look_up(key.first, key.second);
    {
      MutexLock lock(mutex_);
      under_way_.erase(key);  // A later caller needs a fresh answer.
    }
    inquiry.answer(std::move(answer));
  }

  const std::uint64_t epoch_;
  Mutex mutex_;
  std::map<Key, std::shared_ptr<Inquiry>> under_way_ HOLDFAST_GUARDED_BY(mutex_);
};

struct Known {
  const Known* const before;  // the parent's
  const std::shared_ptr<Inquiries> inquiries;
};

// These are the inquiries of this process. A child of fork() has none of the threads
// and cannot trust the mutex, so it begins anew. What is replaced, or left at the end
// of the process, is not destroyed, because a stuck thread may still use it.
Inquiries& inquiries() {
  static constinit std::atomic<const Known*> current{nullptr};
  watch_forks();
  const Known* known = current.load();
  while (known == nullptr || known->inquiries->epoch() != fork_epoch()) {
    auto fresh = std::make_unique<const Known>(
        Known{known, std::make_shared<Inquiries>(fork_epoch())});
    if (current.compare_exchange_strong(known, fresh.get())) known = fresh.release();
  }
  return *known->inquiries;
}

}  // namespace

Result<Addresses> resolve(const std::string& host, std::uint16_t port,
                          Clock::time_point until) {
  if (const auto address = read_address(host, port)) return Addresses{*address};
  const auto inquiry = inquiries().join(host, port);
  if (inquiry == nullptr) {
    return Failure(Errc::unavailable, "there is no thread to resolve its name with");
  }
  auto answer = inquiry->wait(until);
  if (!answer) return Failure(Errc::unavailable, "its name was not resolved in time");
  return *std::move(answer);
}

void resolve_with(Lookup lookup) noexcept { g_lookup.store(lookup); }

}  // namespace holdfast::base
