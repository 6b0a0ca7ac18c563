#include "engine_report.h"

#include <array>
#include <vector>

#include "exit_codes.h"
#include "json.h"
#include "say.h"
#include "standing.h"

namespace holdfast::cli {
namespace {

using engine::Kind;
using engine::Traits;

struct Promise {
  std::string_view name;
  bool Traits::*kept;
  std::string_view meaning;
};
constexpr std::array<Promise, 8> kPromises{
    {{"fences", &Traits::fences, "each grant has a larger token than those before"},
     {"orders", &Traits::orders, "grants in order of arrival"},
     {"notifies", &Traits::notifies, "waiters are woken; without it they ask again"},
     {"versions", &Traits::versions,
      "a number that changed and changed back is noticed"},
     {"downgrades", &Traits::downgrades,
      "a writer that becomes a reader lets others in"},
     {"survives", &Traits::survives, "a claim is not lost with one server"},
     {"many_hosts", &Traits::many_hosts, "clients on other hosts see the same"},
     {"leased", &Traits::leased, "a grant ends by time unless it is renewed"}}};
constexpr auto kLastKind = static_cast<std::size_t>(Kind::shared_count);

// What the words mean that were used.
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

std::string as_text(const std::string& engine, const Client& client) {
  std::string text = "engine " + engine + "\n";
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
      if (traits.*promise.kept) text += " " + std::string(promise.name);
    }
    text += "\n";
  }
  return text + legend(text);
}

std::string as_json(const std::string& engine, const Client& client) {
  Json json;
  json.begin('{').key("engine").value(engine);
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
      json.key(promise.name).value(traits.*promise.kept);
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
