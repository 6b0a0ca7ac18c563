// SPDX-License-Identifier: Apache-2.0

#include "engine_report.h"

#include <array>
#include <vector>

#include "exit_codes.h"
#include "holdfast/engine/session.h"
#include "json.h"
#include "resource_status.h"
#include "say.h"

namespace holdfast::cli {
namespace {

using engine::Kind;
using engine::Traits;

// These say which kinds a promise is about.
bool any_kind(Kind) { return true; }
bool is_writer_kind(Kind kind) { return kind == Kind::shared_mutex; }
bool is_number_kind(Kind kind) { return !is_claim_kind(kind); }

struct Promise {
  std::string_view name;
  bool Traits::*kept;
  bool (*concerns)(Kind);
  std::string_view meaning;

  bool is_kept(const Traits& traits, Kind kind) const {
    return traits.*kept && concerns(kind);
  }
};
constexpr std::array<Promise, 8> kPromises{
    {{"fences", &Traits::fences, is_claim_kind,
      "each grant has a larger token than those before"},
     {"orders", &Traits::orders, is_claim_kind, "grants in order of arrival"},
     {"notifies", &Traits::notifies, any_kind,
      "waiters are woken; without this they poll"},
     {"versions", &Traits::versions, is_number_kind,
      "a number that changed and changed back is noticed"},
     {"downgrades", &Traits::downgrades, is_writer_kind,
      "a writer that becomes a reader lets others in"},
     {"survives", &Traits::survives, is_claim_kind,
      "a claim is not lost with one server"},
     {"many_hosts", &Traits::many_hosts, any_kind,
      "clients on other hosts share the state"},
     {"leased", &Traits::leased, is_claim_kind,
      "a grant ends by time unless it is renewed"}}};
constexpr auto kLastKind = static_cast<std::size_t>(Kind::shared_count);

// Explains the words that were used.
std::string legend(const std::string& used) {
  std::string text = "\n";
  for (const Promise& promise : kPromises) {
    if (used.find(promise.name) == std::string::npos) continue;
    const std::string name(promise.name);
    text += "  " + name + std::string(11 - name.size(), ' ') +
            std::string(promise.meaning) + "\n";
  }
  return text;
}

std::string spell(const engine::ServerDescription& server) {
  std::string text;
  for (const auto& [name, value] : server.properties) {
    text += (text.empty() ? ": " : "; ") + name + " " + value;
  }
  return printable(server.server + text);
}

std::string as_text(const std::string& engine, const Client& client) {
  std::string text = "engine " + engine + "\n";
  for (const auto& server : client.session().servers()) {
    text += "  server " + spell(server) + "\n";
  }
  for (const std::string& warning : client.session().warnings()) {
    text += "  Warning: " + printable(warning) + "\n";
  }
  for (std::size_t i = 0; i <= kLastKind; ++i) {
    const auto kind = static_cast<Kind>(i);
    const Traits traits = client.traits(kind);
    if (!traits.supported) continue;
    const std::string name(kind_name(kind));
    text += "  " + name + std::string(15 - name.size(), ' ') + ":";
    for (const Promise& promise : kPromises) {
      if (promise.is_kept(traits, kind)) text += " " + std::string(promise.name);
    }
    text += "\n";
  }
  return text + legend(text);
}

std::string as_json(const std::string& engine, const Client& client) {
  Json json;
  json.begin('{').key("engine").value(engine);
  json.key("servers").begin('[');
  for (const auto& server : client.session().servers()) {
    json.begin('{').key("server").value(server.server);
    for (const auto& [name, value] : server.properties) json.key(name).value(value);
    json.end();
  }
  json.end();
  json.key("warnings").begin('[');
  for (const std::string& warning : client.session().warnings()) json.value(warning);
  json.end();
  json.key("kinds").begin('{');
  for (std::size_t i = 0; i <= kLastKind; ++i) {
    const auto kind = static_cast<Kind>(i);
    const Traits traits = client.traits(kind);
    if (!traits.supported) continue;
    json.key(kind_name(kind)).begin('{');
    for (const Promise& promise : kPromises) {
      json.key(promise.name).value(promise.is_kept(traits, kind));
    }
    json.end();
  }
  json.end();
  return json.end().text();
}

}  // namespace

int show_engine(const CommonOptions& common) {
  const auto client = open_observer(common);
  if (!client) return fail(client.error());
  print(common.json ? as_json(common.engine(), *client)
                    : as_text(common.engine(), *client));
  return kOk;
}

}  // namespace holdfast::cli
