// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/transport/channels.h"

#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpcpp/channel.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>

#include "base/common_failures.h"

namespace holdfast::etcd {
namespace {

constexpr int kSoonest = 50;  // milliseconds until a lost connection is opened again
constexpr int kLatest = 500;  // and at most
constexpr int kPatience = 3'000;  // milliseconds for a connection to be made
constexpr int kQuiet = 10'000;    // a stream without traffic for so long is pinged;
constexpr int kNoAnswer = 5'000;  // etcd does not take more than one ping in 5 s
constexpr auto kYoung =
    std::chrono::seconds(1);         // a connection younger than this is not replaced
constexpr int kLargest = 256 << 20;  // bytes of one answer

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file || text.empty()) return base::cannot_read(base::in_quotes(path));
  return text;
}

Result<std::shared_ptr<grpc::ChannelCredentials>> credentials_for(
    const base::TlsOptions& tls) {
  if (!tls.on) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions ssl;
  for (const auto& [path, text] : {std::pair(&tls.ca_file, &ssl.pem_root_certs),
                                   std::pair(&tls.cert_file, &ssl.pem_cert_chain),
                                   std::pair(&tls.key_file, &ssl.pem_private_key)}) {
    if (path->empty()) continue;
    auto read = read_file(*path);
    if (!read) return std::move(read).error();
    *text = *std::move(read);
  }
  return grpc::SslCredentials(ssl);
}

grpc::ChannelArguments arguments(const base::TlsOptions& tls, const RetryPolicy& retry,
                                 bool streams) {
  const auto soonest =
      static_cast<int>(std::max<std::int64_t>(retry.base.count(), kSoonest));
  grpc::ChannelArguments args;
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  args.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  args.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  args.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, soonest);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, std::max(soonest, kLatest));
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kPatience);
  args.SetMaxReceiveMessageSize(kLargest);
  if (streams) {
    args.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kQuiet);
    args.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kNoAnswer);
    args.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  }
  if (!tls.server_name.empty()) args.SetSslTargetNameOverride(tls.server_name);
  return args;
}

// Our errors say what went wrong. A program that uses gRPC itself, or sets
// GRPC_VERBOSITY, keeps its log.
void keep_the_log_quiet() {
  if (grpc_is_initialized() == 0 && std::getenv("GRPC_VERBOSITY") == nullptr) {
    gpr_set_log_function([](gpr_log_func_args*) {});
  }
}

}  // namespace

Result<std::unique_ptr<Channels>> Channels::open(const Options& options,
                                                 const RetryPolicy& retry) {
  keep_the_log_quiet();
  auto credentials = credentials_for(options.tls);
  if (!credentials) return std::move(credentials).error();
  return std::unique_ptr<Channels>(
      new Channels(options, retry, *std::move(credentials)));
}

// The first member is chosen at random, so that many clients spread over the members.
Channels::Channels(const Options& options, const RetryPolicy& retry,
                   std::shared_ptr<grpc::ChannelCredentials> credentials)
    : options_(options), retry_(retry), credentials_(std::move(credentials)) {
  for (std::size_t i = 0; i < size(); ++i) {
    members_.push_back({{connect(i, For::calls), connect(i, For::streams)}});
  }
  current_ = std::random_device()() % size();
}

Channels::TimedChannel Channels::connect(std::size_t member, For what) const {
  return {
      grpc::CreateCustomChannel("dns:///" + where(member), credentials_,
                                arguments(options_.tls, retry_, what == For::streams)),
      Clock::now()};
}

std::string Channels::where(std::size_t member) const {
  return base::spell(options_.hosts[member]);
}

Channels::MemberChannel Channels::current(For what) const {
  base::MutexLock lock(mutex_);
  const auto index = static_cast<std::size_t>(what);
  return {current_, members_[current_].channels[index].channel};
}

void Channels::switch_from(const MemberChannel& member) {
  base::MutexLock lock(mutex_);
  if (member.index == current_) current_ = (current_ + 1) % size();
}

void Channels::replace(const MemberChannel& member) {
  switch_from(member);
  std::array<TimedChannel, 2> last;  // destroyed without the mutex
  base::MutexLock lock(mutex_);
  for (const For what : {For::calls, For::streams}) {
    const auto index = static_cast<std::size_t>(what);
    TimedChannel& each = members_[member.index].channels[index];
    const bool young = Clock::now() - each.since < kYoung;
    if (each.channel != member.channel || young) continue;
    last[index] = std::exchange(each, connect(member.index, what));
  }
}

}  // namespace holdfast::etcd
