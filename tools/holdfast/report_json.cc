// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <ctime>

#include "holdfast/holder.h"
#include "report.h"

namespace holdfast::cli {

std::string iso_time(std::chrono::system_clock::time_point then) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(then);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

namespace {

Json& text_or_null(Json& json, const std::string& text) {
  return text.empty() ? json.null() : json.value(text);
}

void write_json(Json& json, const engine::Entry& entry) {
  const Holder holder = read_holder(entry.payload);
  json.begin('{').key("owner").value(entry.owner);
  json.key("payload").value(entry.payload);
  text_or_null(json.key("host"), holder.host);
  json.key("pid");
  holder.pid == 0 ? json.null() : json.value(holder.pid);
  text_or_null(json.key("command"), holder.program);
  text_or_null(json.key("thread"), holder.thread);
  text_or_null(json.key("function"), holder.function);
  text_or_null(json.key("description"), holder.description);
  json.key("mode").value(entry.mode == engine::Mode::shared ? "shared" : "exclusive");
  json.key("permits").value(entry.permits);
  json.key("token").value(entry.token.value);
  text_or_null(json.key("since"), entry.since ? iso_time(*entry.since) : std::string());
  json.key("lease_ms");
  entry.left
      ? json.value(
            std::chrono::duration_cast<std::chrono::milliseconds>(*entry.left).count())
      : json.null();
  json.end();
}

}  // namespace

void write_json(Json& json, const ResourceStatus& status) {
  json.begin('{').key("kind").value(kind_name(status.address.kind));
  json.key("name").value(status.address.name);
  json.key("holders").begin('[');
  for (const engine::Entry& entry : status.holders) write_json(json, entry);
  json.end().key("waiters").begin('[');
  for (const engine::Entry& entry : status.waiters) write_json(json, entry);
  json.end().key("value");
  status.value ? json.value(status.value->number) : json.null();
  json.end();
}

}  // namespace holdfast::cli
