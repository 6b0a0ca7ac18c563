// SPDX-License-Identifier: Apache-2.0

#include "faults/tls.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "faults/etcd/ground.h"

namespace holdfast::test {
namespace {

class EtcdTls : public testing::Test {
 protected:
  void serve(const Identity& identity, std::vector<std::string> more = {}) {
    more.insert(more.begin(),
                {"--cert-file", identity.cert, "--key-file", identity.key});
    server_.emplace(std::move(more));
  }

  TlsFiles files_;
  std::optional<EtcdServer> server_;
  const Tls tls_{
      files_, [this](const Identity& identity) { serve(identity); },
      [this](const std::string& options) { return server_->url("?" + options); }};
};

TEST_F(EtcdTls, AGoodCertificate) { a_good_certificate(tls_); }
TEST_F(EtcdTls, WaitersAreWokenOverIt) { waiters_are_woken(tls_); }
TEST_F(EtcdTls, AnExpiredCertificate) { an_expired_certificate(tls_); }
TEST_F(EtcdTls, AForeignAuthority) { a_foreign_authority(tls_); }
TEST_F(EtcdTls, NoAuthority) { no_authority(tls_); }
TEST_F(EtcdTls, AnotherHostsCertificate) { another_hosts_certificate(tls_); }
TEST_F(EtcdTls, FilesThatAreNotThere) { files_that_are_not_there(tls_); }

TEST_F(EtcdTls, AnotherNameMayBeExpected) {
  serve(files_.issue({.name = "other", .host = "DNS:etcd.example"}));
  const Client client = open_quietly(tls_.trusting("server_name=etcd.example"));
  EXPECT_TRUE(Mutex(client, "a").try_lock());
}

class EtcdMutualTls : public EtcdTls {
 protected:
  EtcdMutualTls() {
    serve(files_.issue({.name = "good"}),
          {"--client-cert-auth", "--trusted-ca-file", files_.authority()});
  }
};

TEST_F(EtcdMutualTls, KnowsUs) { EXPECT_TRUE(knows_us(tls_)); }
TEST_F(EtcdMutualTls, DoesNotKnowUs) { clear_failure(tls_.trusting(), "cert="); }

TEST_F(EtcdTls, APlainServerBehindATlsUrl) {
  const EtcdServer server;
  clear_failure("etcds://" + server.address() + "/?ca=" + files_.authority(), "TLS");
}

TEST_F(EtcdTls, ATlsServerBehindAPlainUrl) {
  serve(files_.issue({.name = "good"}));
  clear_failure("etcd://" + server_->address(), "etcds://");
}

}  // namespace
}  // namespace holdfast::test
