// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/options.h"

#include <utility>

#include "base/engine_options.h"
#include "engines/etcd/engine.h"

namespace holdfast::etcd {
namespace {

constexpr std::uint16_t kPort = 2379;

using base::choose;
using base::read_text;
using base::Text;

struct Draft : Options {
  std::string password_file;
};

constexpr base::Word<bool> kNames[] = {{"encoded", false}, {"raw", true}};

constexpr base::Option<Draft> kOptions[] = {
    {"ca", [](Draft& d, Text v) { return read_text(v, d.tls.ca_file); }, base::kTls},
    {"cert", [](Draft& d, Text v) { return read_text(v, d.tls.cert_file); },
     base::kTls},
    {"hand_over",
     [](Draft& d, Text v) { return choose(base::kNoYes, v, d.hand_over); }},
    {"key", [](Draft& d, Text v) { return read_text(v, d.tls.key_file); }, base::kTls},
    {"names", [](Draft& d, Text v) { return choose(kNames, v, d.raw_names); }},
    {"password_file", [](Draft& d, Text v) { return read_text(v, d.password_file); }},
    {"server_name", [](Draft& d, Text v) { return read_text(v, d.tls.server_name); },
     base::kTls},
};

}  // namespace

std::vector<std::string_view> option_names() { return base::names_of(kOptions); }

std::string Options::spelt() const { return base::spell(hosts); }

Result<Options> read_options(const base::Uri& uri) {
  Draft draft;
  draft.tls.on = uri.scheme == "etcds";
  auto done = base::read_options({"etcd", "etcds"}, kOptions, uri, draft);
  if (done) done = base::check_pair(uri, draft.tls.cert_file, draft.tls.key_file);
  if (!done) return std::move(done).error();
  draft.hosts = base::hosts_of(uri, kPort);
  draft.root = uri.path;
  while (draft.root.ends_with('/')) draft.root.pop_back();
  if (!draft.root.empty()) draft.root += '/';
  if (draft.root.find('\0') != std::string::npos) {
    return uri.bad("path", "after the hosts comes a prefix such as /app/locks");
  }
  done = base::read_login(uri, draft.password_file, draft.user, draft.password);
  if (!done) return std::move(done).error();
  return static_cast<Options>(std::move(draft));
}

}  // namespace holdfast::etcd
