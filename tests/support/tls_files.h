// SPDX-License-Identifier: Apache-2.0

// tests/support/tls_files.h - certificates for one test.
//
//   TlsFiles files;
//   const Identity server = files.issue({.name = "server"});
//   RedisServer({"tls-cert-file " + server.cert, ...});

#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "support/temp_dir.h"

namespace holdfast::test {

struct Identity {
  std::string cert;  // the paths of PEM files
  std::string key;
};

struct Wanted {
  std::string name;                   // the name of the files and of the subject
  std::string host = "IP:127.0.0.1";  // or "DNS:..."
  std::chrono::hours begins{-2};      // relative to now
  std::chrono::hours ends{24};
  bool self_signed = false;
};

// This is a certificate authority of its own, in a folder of its own. It throws
// std::runtime_error.
class TlsFiles {
 public:
  TlsFiles();
  ~TlsFiles();

  Identity issue(const Wanted& wanted);
  std::string authority() const { return dir_.file("authority.pem"); }

 private:
  struct Pair;

  TempDir dir_;
  std::unique_ptr<Pair> authority_;
};

}  // namespace holdfast::test
