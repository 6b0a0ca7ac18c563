#include "engines/etcd/options.h"

#include <utility>

#include "base/engine_options.h"
#include "engines/etcd/engine.h"

namespace holdfast::etcd {
namespace {

constexpr std::uint16_t kPort = 2379;

using base::choose;
using base::keep;
using base::Text;

struct Draft {
  Options options;
  std::string password_file;
};

constexpr base::Word<bool> kNames[] = {{"encoded", false}, {"raw", true}};

constexpr base::Option<Draft> kOptions[] = {
    {"ca", [](Draft& d, Text v) { return keep(v, d.options.tls.ca_file); }, base::kTls},
    {"cert", [](Draft& d, Text v) { return keep(v, d.options.tls.cert_file); },
     base::kTls},
    {"hand_over",
     [](Draft& d, Text v) { return choose(base::kNoYes, v, d.options.hand_over); }},
    {"key", [](Draft& d, Text v) { return keep(v, d.options.tls.key_file); },
     base::kTls},
    {"names", [](Draft& d, Text v) { return choose(kNames, v, d.options.raw_names); }},
    {"password_file", [](Draft& d, Text v) { return keep(v, d.password_file); }},
    {"server_name", [](Draft& d, Text v) { return keep(v, d.options.tls.server_name); },
     base::kTls},
};

}  // namespace

std::vector<std::string_view> option_names() { return base::names_of(kOptions); }

std::string Options::spelt() const { return base::spell(hosts); }

Result<Options> read_options(const base::Uri& uri) {
  Draft draft;
  Options& options = draft.options;
  options.tls.on = uri.scheme == "etcds";
  auto done = base::read_options({"etcd", "etcds"}, kOptions, uri, draft);
  if (done) done = base::check_pair(uri, options.tls.cert_file, options.tls.key_file);
  if (!done) return std::move(done).error();
  options.hosts = base::hosts_of(uri, kPort);
  options.root = uri.path;
  while (options.root.ends_with('/')) options.root.pop_back();
  if (!options.root.empty()) options.root += '/';
  if (options.root.find('\0') != std::string::npos) {
    return uri.bad("path", "after the hosts comes a prefix such as /app/locks");
  }
  auto password = base::login_password(uri, draft.password_file);
  if (!password) return std::move(password).error();
  options.user = uri.user;
  options.password = *std::move(password);
  return options;
}

}  // namespace holdfast::etcd
