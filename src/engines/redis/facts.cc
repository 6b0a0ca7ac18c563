#include "engines/redis/facts.h"

#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include "engines/redis/command.h"

namespace holdfast::redis {
namespace {

constexpr int kOldestMajor = 5;

// Returns the value of the line "field:value", or an empty text if there is none.
std::string_view field(std::string_view info, std::string_view name) {
  while (!info.empty()) {
    const auto end = info.find('\n');
    std::string_view line = info.substr(0, end);
    info.remove_prefix(end == std::string_view::npos ? info.size() : end + 1);
    if (!line.starts_with(name) || line.size() == name.size() ||
        line[name.size()] != ':') {
      continue;
    }
    line.remove_prefix(name.size() + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }
  return {};
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// A policy that evicts only keys with a TTL counts too, because locks have one.
bool may_evict(std::string_view policy) {
  return !policy.empty() && policy != "noeviction";
}

}  // namespace

Result<Facts> read_facts(std::string_view info) {
  Facts facts;
  facts.version = field(info, "redis_version");
  if (facts.version.empty()) {
    return Failure(Errc::incompatible, "the server does not say which Redis it is");
  }
  if (number(facts.version) < kOldestMajor) {
    return Failure(Errc::unsupported, "Redis " + facts.version +
                                          " is too old: Holdfast needs 5.0 or newer");
  }
  facts.cluster =
      field(info, "redis_mode") == "cluster" || field(info, "cluster_enabled") == "1";
  facts.replica = field(info, "role") == "slave";
  facts.replicas = static_cast<int>(number(field(info, "connected_slaves")));
  facts.evicts = number(field(info, "maxmemory")) > 0 &&
                 may_evict(field(info, "maxmemory_policy"));
  facts.aof = field(info, "aof_enabled") == "1";
  return facts;
}

Result<Facts> ask_facts(Requests& requests, const Place& place,
                        engine::Deadline until) {
  std::string out;
  Command(out, 1).add("INFO");
  Command(out, 3).add("CONFIG").add("GET").add("save");
  Reply replies[2];
  if (auto done = requests.call(out, replies, until); !done) {
    return std::move(done).error();
  }
  const ReplyView info = replies[0].view();
  const ReplyView save = replies[1].view();
  const std::string redis = "Redis at " + place.spelt();
  if (info.is_error()) {
    const Failure why = failure_of(info);
    return Failure(why.code, redis + " does not answer INFO: " + why.context);
  }
  auto facts = read_facts(info.text());
  if (!facts) return Failure(facts.error().code, redis + ": " + facts.error().context);
  if (facts->cluster) {
    return Failure(Errc::unsupported, redis +
                                          " is a node of a Redis Cluster, whose "
                                          "URLs redis+cluster:// are yet to come");
  }
  if (facts->replica) {
    return Failure(Errc::denied,
                   redis + " is a replica, and locks live on the primary");
  }
  facts->persists = facts->aof || save.size() < 2 || !save[1].text().empty();
  return facts;
}

std::vector<std::string> warnings(const Facts& facts, int acks) {
  std::vector<std::string> all;
  const auto count = std::to_string(facts.replicas);
  if (facts.evicts) {
    all.push_back(
        "Redis may evict locks when its memory is full: set "
        "maxmemory-policy to noeviction");
  }
  if (facts.replicas > 0 && acks == 0) {
    all.push_back("a failover of Redis may lose locks that its replicas (" + count +
                  ") have not yet seen: ?ack=1 waits for one of them");
  }
  if (facts.replicas < acks) {
    all.push_back("?ack=" + std::to_string(acks) +
                  " wants more replicas than Redis has (" + count +
                  "): every lock will fail");
  }
  if (!facts.persists) {
    all.push_back(
        "Redis writes nothing to disk: a restart loses every lock; set "
        "appendonly to yes");
  }
  return all;
}

}  // namespace holdfast::redis
