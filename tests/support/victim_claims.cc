// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/double_barrier.h"
#include "holdfast/election.h"
#include "holdfast/fair_mutex.h"
#include "holdfast/multi_lock.h"
#include "holdfast/mutex.h"
#include "holdfast/recursive_mutex.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"
#include "support/victim_operations.h"

namespace holdfast::test {
namespace {

template <class AMutex>
Operations mutex(const Client& client, const std::string& name, std::uint32_t) {
  const auto it = std::make_shared<AMutex>(client, name);
  const auto hold = std::make_shared<std::optional<Hold>>();
  return holding(hold, [=](auto&, const auto& options) { return it->acquire(options); },
                 {{"token", [=](auto&) { return text(hold->value().token()); }}});
}

Operations recursive_mutex(const Client& client, const std::string& name,
                           std::uint32_t) {
  const auto it = std::make_shared<RecursiveMutex>(client, name);
  Operations all{
      {"release", [=](auto&) { return text(it->release()); }},
      {"token", [=](auto&) { return text(it->token()); }},
      {"valid", [=](auto&) { return text(!it->lost().stop_requested()); }},
      {"depth", [=](auto&) { return text(it->depth()); }},
  };
  all.merge(
      try_and_take([=](auto&, const auto& options) { return it->acquire(options); }));
  return all;
}

Operations shared_mutex(const Client& client, const std::string& name, std::uint32_t) {
  const auto it = std::make_shared<SharedMutex>(client, name);
  const auto hold = std::make_shared<std::optional<SharedHold>>();
  const auto acquire = [=](auto& in, const auto& options) {
    const bool shared = next<std::string>(in) == "shared";
    return shared ? it->acquire_shared(options) : it->acquire(options);
  };
  return holding(
      hold, acquire,
      {
          {"token", [=](auto&) { return text(hold->value().token()); }},
          {"downgrade", [=](auto&) { return text(hold->value().downgrade()); }},
          {"upgrade", [=](auto&) { return text(hold->value().upgrade()); }},
          {"exclusive", [=](auto&) { return text(hold->value().exclusive()); }},
      });
}

Operations semaphore(const Client& client, const std::string& name,
                     std::uint32_t permits) {
  using Number = std::uint32_t;
  const auto it = std::make_shared<Semaphore>(client, name, permits);
  const auto hold = std::make_shared<std::optional<Permits>>();
  const auto acquire = [=](auto& in, const auto& options) {
    return it->acquire_many(next<Number>(in, 1), options);
  };
  return holding(
      hold, acquire,
      {
          {"give",
           [=](auto& in) { return text(hold->value().release(next<Number>(in))); }},
          {"count", [=](auto&) { return text(hold->value().count()); }},
          {"set", [=](auto& in) { return text(it->set_permits(next<Number>(in))); }},
          {"init", [=](auto& in) { return text(it->init_permits(next<Number>(in))); }},
          {"get", [=](auto&) { return text(it->permits()); }},
          {"available", [=](auto&) { return text(it->available()); }},
      });
}

Operations election(const Client& client, const std::string& name, std::uint32_t) {
  const auto it = std::make_shared<Election>(client, name);
  Operations all{
      {"release", [=](auto&) { return text(it->resign()); }},
      {"token", [=](auto&) { return text(it->token()); }},
      {"valid", [=](auto&) { return text(it->is_leader()); }},
      {"proclaim", [=](auto& in) { return text(it->proclaim(next<std::string>(in))); }},
      {"leader", [=](auto&) { return text(it->leader()); }},
  };
  all.merge(try_and_take([=](auto& in, const auto& options) {
    return it->campaign(next<std::string>(in), options);
  }));
  return all;
}

Operations multi_lock(const Client& client, const std::string& name,
                      std::uint32_t locks) {
  const auto acquire = [=](auto& in, const auto& options) {
    std::vector<std::string> names;
    for (std::string word; in >> word;) names.push_back(name + word);
    if (names.empty()) {
      for (std::uint32_t i = 0; i < locks; ++i) names.push_back(name + text(i));
    }
    return MultiLock(client, names).acquire(options);
  };
  return holding(std::make_shared<std::optional<MultiHold>>(), acquire);
}

Operations double_barrier(const Client& client, const std::string& name,
                          std::uint32_t parties) {
  const auto it = std::make_shared<DoubleBarrier>(client, name, parties);
  Operations all =
      try_and_take([=](auto&, const auto& options) { return it->enter(options); });
  const auto leaving =
      try_and_take([=](auto&, const auto& options) { return it->leave(options); });
  all.emplace("leave", leaving.at("try"));
  all.emplace("valid", [=](auto&) { return text(!it->lost().stop_requested()); });
  return all;
}

}  // namespace

Forms claim_forms() {
  return {
      {"mutex", mutex<Mutex>},
      {"fair_mutex", mutex<FairMutex>},
      {"recursive_mutex", recursive_mutex},
      {"shared_mutex", shared_mutex},
      {"semaphore", semaphore},
      {"election", election},
      {"multi_lock", multi_lock},
      {"double_barrier", double_barrier},
  };
}

}  // namespace holdfast::test
