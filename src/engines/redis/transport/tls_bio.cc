// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/tls_bio.h"

#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <cerrno>
#include <new>

namespace holdfast::redis {
namespace {

int fd_of(BIO* bio) noexcept {
  return static_cast<const Socket*>(BIO_get_data(bio))->fd();
}

int write_some(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const auto sent = send(fd_of(bio), bytes, static_cast<std::size_t>(size),
                         MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && is_momentary(errno)) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int read_some(BIO* bio, char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const auto got =
      recv(fd_of(bio), bytes, static_cast<std::size_t>(size), MSG_DONTWAIT);
  if (got < 0 && is_momentary(errno)) BIO_set_retry_read(bio);
  return static_cast<int>(got);
}

long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH; }

const BIO_METHOD* method() {
  static const BIO_METHOD* const made = [] {
    BIO_METHOD* const m =
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "holdfast socket");
    if (m == nullptr) throw std::bad_alloc();
    BIO_meth_set_write(m, write_some);
    BIO_meth_set_read(m, read_some);
    BIO_meth_set_ctrl(m, control);
    return m;
  }();
  return made;
}

}  // namespace

void attach(SSL* ssl, Socket& socket) {
  BIO* const bio = BIO_new(method());
  if (bio == nullptr) throw std::bad_alloc();
  BIO_set_data(bio, &socket);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl, bio, bio);
}

}  // namespace holdfast::redis
