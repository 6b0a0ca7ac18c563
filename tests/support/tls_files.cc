// SPDX-License-Identifier: Apache-2.0

#include "support/tls_files.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <stdexcept>
#include <utility>

namespace holdfast::test {
namespace {

struct Free {
  void operator()(X509* x) const noexcept { X509_free(x); }
  void operator()(EVP_PKEY* x) const noexcept { EVP_PKEY_free(x); }
  void operator()(X509_EXTENSION* x) const noexcept { X509_EXTENSION_free(x); }
  void operator()(std::FILE* x) const noexcept { std::fclose(x); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

void require(bool good, const char* what) {
  if (!good) throw std::runtime_error(std::string("certificates: ") + what);
}

Owned<std::FILE> open_file(const std::string& path) {
  Owned<std::FILE> file(std::fopen(path.c_str(), "w"));
  require(file != nullptr, "cannot write");
  return file;
}

void extend(X509& cert, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, &cert, &cert, nullptr, nullptr, 0);
  const Owned<X509_EXTENSION> extension(
      X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str()));
  require(extension && X509_add_ext(&cert, extension.get(), -1) == 1, "extension");
}

}  // namespace

struct TlsFiles::Pair {
  Owned<X509> cert;
  Owned<EVP_PKEY> key;

  explicit Pair(const Wanted& wanted)
      : cert(X509_new()), key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256")) {
    require(cert && key, "no memory");
    static long serial = 0;
    ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), ++serial);
    X509_set_version(cert.get(), X509_VERSION_3);
    X509_gmtime_adj(X509_getm_notBefore(cert.get()),
                    std::chrono::seconds(wanted.begins).count());
    X509_gmtime_adj(X509_getm_notAfter(cert.get()),
                    std::chrono::seconds(wanted.ends).count());
    X509_set_pubkey(cert.get(), key.get());
    X509_NAME_add_entry_by_txt(
        X509_get_subject_name(cert.get()), "CN", MBSTRING_UTF8,
        reinterpret_cast<const unsigned char*>(wanted.name.c_str()), -1, -1, 0);
  }

  void sign(const Pair& by) {
    X509_set_issuer_name(cert.get(), X509_get_subject_name(by.cert.get()));
    require(X509_sign(cert.get(), by.key.get(), EVP_sha256()) > 0, "sign");
  }
};

TlsFiles::TlsFiles() : authority_(std::make_unique<Pair>(Wanted{.name = "authority"})) {
  extend(*authority_->cert, NID_basic_constraints, "critical,CA:TRUE");
  authority_->sign(*authority_);
  PEM_write_X509(open_file(authority()).get(), authority_->cert.get());
}

TlsFiles::~TlsFiles() = default;

Identity TlsFiles::issue(const Wanted& wanted) {
  Pair pair(wanted);
  extend(*pair.cert, NID_subject_alt_name, wanted.host);
  pair.sign(wanted.self_signed ? pair : *authority_);
  Identity identity{dir_.file(wanted.name + ".pem"), dir_.file(wanted.name + ".key")};
  PEM_write_X509(open_file(identity.cert).get(), pair.cert.get());
  PEM_write_PrivateKey(open_file(identity.key).get(), pair.key.get(), nullptr, nullptr,
                       0, nullptr, nullptr);
  return identity;
}

}  // namespace holdfast::test
