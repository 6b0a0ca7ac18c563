// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <optional>
#include <string>

#include "holdfast/barrier.h"
#include "holdfast/counter.h"
#include "holdfast/latch.h"
#include "holdfast/shared_count.h"
#include "support/victim_operations.h"

namespace holdfast::test {
namespace {

Operations latch(const Client& client, const std::string& name, std::uint32_t) {
  const auto it = std::make_shared<Latch>(client, name);
  Operations all{
      {"set", [=](auto& in) { return text(it->set_count(next(in))); }},
      {"down", [=](auto& in) { return text(it->count_down(next(in))); }},
      {"get", [=](auto&) { return text(it->count()); }},
  };
  all.merge(
      try_and_take([=](auto&, const auto& options) { return it->wait(options); }));
  return all;
}

Operations barrier(const Client& client, const std::string& name, std::uint32_t) {
  const auto it = std::make_shared<Barrier>(client, name);
  Operations all{
      {"set", [=](auto&) { return text(it->set()); }},
      {"remove", [=](auto&) { return text(it->remove()); }},
      {"get", [=](auto&) { return text(it->is_set()); }},
  };
  all.merge(
      try_and_take([=](auto&, const auto& options) { return it->wait(options); }));
  return all;
}

Operations counter(const Client& client, const std::string& name, std::uint32_t) {
  const auto it = std::make_shared<Counter>(client, name);
  const auto update = [=](std::istream& in) {
    const auto by = next(in);
    const auto limit = next(in);
    return text(it->update([=](std::int64_t now) -> std::optional<std::int64_t> {
      if (now > limit - by) return std::nullopt;
      return now + by;
    }));
  };
  const auto compare_exchange = [=](std::istream& in) {
    const auto from = next(in);
    return text(it->compare_exchange(from, next(in)));
  };
  return {
      {"get", [=](auto&) { return text(it->get()); }},
      {"add", [=](auto& in) { return text(it->add(next(in))); }},
      {"subtract", [=](auto& in) { return text(it->subtract(next(in))); }},
      {"exchange", [=](auto& in) { return text(it->exchange(next(in))); }},
      {"compare_exchange", compare_exchange},
      {"update", update},
  };
}

Operations shared_count(const Client& client, const std::string& name,
                        std::uint32_t seed) {
  const auto it = std::make_shared<SharedCount>(client, name, seed);
  const auto try_set = [=](std::istream& in) {
    Versioned seen;
    in >> seen.number >> seen.version;
    return text(it->compare_exchange(seen, next(in)));
  };
  return {
      {"get", [=](auto&) { return text(it->get()); }},
      {"set", [=](auto& in) { return text(it->set(next(in))); }},
      {"try_set", try_set},
  };
}

}  // namespace

Forms register_forms() {
  return {
      {"latch", latch},
      {"barrier", barrier},
      {"counter", counter},
      {"shared_count", shared_count},
  };
}

}  // namespace holdfast::test
