// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/tls_context.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <array>
#include <system_error>

#include "base/common_failures.h"

namespace holdfast::redis {
namespace {

Failure unusable(const char* what, const std::string& file) {
  return {Errc::denied, std::string(what) + " " + file + " cannot be used: " +
                            tls_error() + "; check the file that the URL names"};
}

std::string why_refused(long verdict, const std::string& name) {
  switch (verdict) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "has expired: renew it there";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "is not valid yet: compare the clocks of both hosts";
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      return "is self-signed and not among those that we trust (see ?ca=)";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return "is for another host than " + name + " (see ?server_name=)";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return "was issued by an authority that we do not trust (see ?ca=)";
    default:
      return std::string("is not trusted: ") + X509_verify_cert_error_string(verdict) +
             " (see ?ca=)";
  }
}

}  // namespace

// OpenSSL keeps a queue of errors, and the first one is the most specific.
std::string tls_error() {
  const unsigned long code = ERR_peek_error();
  if (ERR_SYSTEM_ERROR(code)) {
    return std::error_code(ERR_GET_REASON(code), std::generic_category()).message();
  }
  const char* const reason = code != 0 ? ERR_reason_error_string(code) : nullptr;
  return reason != nullptr ? reason : "the server closed the connection";
}

Failure no_tls() {
  return {Errc::internal, "OpenSSL cannot begin TLS: " + tls_error() +
                              "; check its installation and its openssl.cnf"};
}

std::string hint_about_plain(const Endpoint& endpoint) {
  return "; if it speaks plain Redis, the URL starts with " + endpoint.scheme(false);
}

Result<TlsContext> make_tls_context(const base::TlsOptions& tls) {
  ERR_clear_error();
  TlsContext context(SSL_CTX_new(TLS_client_method()));
  if (!context) return no_tls();
  SSL_CTX* const raw = context.get();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_mode(raw,
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_verify(raw, tls.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  if (tls.ca_file.empty()) {
    SSL_CTX_set_default_verify_paths(raw);
  } else if (SSL_CTX_load_verify_file(raw, tls.ca_file.c_str()) != 1) {
    return unusable("the CA file", tls.ca_file);
  }
  if (tls.cert_file.empty()) return context;
  if (SSL_CTX_use_certificate_chain_file(raw, tls.cert_file.c_str()) != 1) {
    return unusable("the certificate", tls.cert_file);
  }
  if (SSL_CTX_use_PrivateKey_file(raw, tls.key_file.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(raw) != 1) {
    return unusable("the key", tls.key_file);
  }
  return context;
}

// A numeric address is not sent to the server as a name, and is compared as an address.
void expect_name(SSL* ssl, const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> address;
  const bool numeric = inet_pton(AF_INET, name.c_str(), address.data()) == 1 ||
                       inet_pton(AF_INET6, name.c_str(), address.data()) == 1;
  if (numeric) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name.c_str());
  } else {
    SSL_set_tlsext_host_name(ssl, name.c_str());
    SSL_set1_host(ssl, name.c_str());
  }
}

Failure why_not_greeted(SSL* ssl, const Endpoint& endpoint, const std::string& name) {
  const long verdict = SSL_get_verify_result(ssl);
  if (verdict != X509_V_OK) {
    return {Errc::denied, "the certificate of " + endpoint.called() + " " +
                              why_refused(verdict, name)};
  }
  const unsigned long code = ERR_peek_error();
  if (code == 0)
    return base::cannot_reach(endpoint.called(),
                              "it closed the connection while greeting");
  if (ERR_GET_REASON(code) >= SSL_AD_REASON_OFFSET) {
    return {Errc::denied, endpoint.called() + " refuses TLS with us: " + tls_error() +
                              "; check its certificates and ours (?cert= and ?key=)"};
  }
  return {Errc::incompatible,
          endpoint.spelt() + " does not speak TLS" + hint_about_plain(endpoint)};
}

}  // namespace holdfast::redis
