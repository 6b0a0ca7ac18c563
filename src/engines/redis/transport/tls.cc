// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <string>
#include <utility>

#include "base/common_failures.h"
#include "engines/redis/transport/tls_bio.h"
#include "engines/redis/transport/tls_context.h"

namespace holdfast::redis {
namespace {

using engine::Deadline;

class TlsStream final : public Stream {
 public:
  TlsStream(Socket socket, TlsContext context, TlsHandle ssl)
      : socket_(std::move(socket)), context_(std::move(context)), ssl_(std::move(ssl)) {
    attach(ssl_.get(), socket_);
  }

  Result<void> greet(const Endpoint& endpoint, Deadline until) {
    const std::string& name = endpoint.tls.server_name.empty()
                                  ? endpoint.host.name
                                  : endpoint.tls.server_name;
    expect_name(ssl_.get(), name);
    for (;;) {
      ERR_clear_error();
      const int result = SSL_connect(ssl_.get());
      if (result == 1) return {};
      const int error = SSL_get_error(ssl_.get(), result);
      if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) {
        return why_not_greeted(ssl_.get(), endpoint, name);
      }
      const short events = error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
      if (!poll_until(fd(), events, until)) {
        Failure why =
            base::cannot_reach(endpoint.called(), "it does not answer as TLS does");
        why.context += hint_about_plain(endpoint);
        return why;
      }
    }
  }

  Result<std::size_t> write_some(std::span<const std::string_view> texts) override {
    if (auto fine = flush(); !fine) return std::move(fine).error();
    if (!stuck_.empty()) return std::size_t{0};
    const std::string_view bytes = join(texts).substr(0, kMostAtOnce);
    auto sent = write(bytes);
    // OpenSSL may already have made a record of these bytes, so they must be sent.
    if (sent && *sent == 0) stuck_ = bytes;
    wants_room_ = !stuck_.empty();
    return stuck_.empty() ? sent : bytes.size();
  }

  bool wait(bool for_room, Deadline until) override {
    if (has_more_) return true;
    const bool room = for_room || wants_room_;
    return poll_until(fd(), room ? POLLIN | POLLOUT : POLLIN, until);
  }

  Result<std::string_view> read_some() override {
    if (auto fine = flush(); !fine) return std::move(fine).error();
    std::size_t got = 0;
    ERR_clear_error();
    const int result = SSL_read_ex(ssl_.get(), buffer_.data(), buffer_.size(), &got);
    if (auto fine = settle(result); !fine) return std::move(fine).error();
    wants_room_ = !stuck_.empty() || (got == 0 && SSL_want_write(ssl_.get()));
    has_more_ = SSL_pending(ssl_.get()) > 0;
    return std::string_view(buffer_.data(), got);
  }

  // The server may send session tickets at any time; they do not count as data.
  bool has_input_or_eof() const noexcept override {
    char byte;
    ERR_clear_error();
    const int got = SSL_peek(ssl_.get(), &byte, 1);
    return got > 0 || SSL_get_error(ssl_.get(), got) != SSL_ERROR_WANT_READ;
  }

  void shut_down() noexcept override { shutdown(fd(), SHUT_RDWR); }

  int fd() const noexcept override { return socket_.fd(); }

 private:
  static constexpr std::size_t kMostAtOnce = 16'384;

  Result<void> settle(int result) {
    if (result == 1) return {};
    const int error = SSL_get_error(ssl_.get(), result);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return {};
    return Failure(Errc::unavailable, tls_error());
  }

  // Returns the texts, or the first of them, as one text, so that they go into one
  // record.
  std::string_view join(std::span<const std::string_view> texts) {
    if (texts.size() == 1) return texts.front();
    joined_.clear();
    for (const std::string_view text : texts) {
      if (joined_.size() >= kMostAtOnce) break;
      joined_.append(text);
    }
    return joined_;
  }

  Result<std::size_t> write(std::string_view bytes) {
    std::size_t sent = 0;
    ERR_clear_error();
    const int result = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &sent);
    if (auto fine = settle(result); !fine) return std::move(fine).error();
    return sent;
  }

  Result<void> flush() {
    if (stuck_.empty()) return {};
    const auto sent = write(stuck_);
    if (!sent) return sent.error();
    stuck_.erase(0, *sent);
    return {};
  }

  Socket socket_;
  const TlsContext context_;
  const TlsHandle ssl_;
  std::array<char, kMostAtOnce> buffer_;
  std::string joined_;                   // in `write_some`
  std::string stuck_;                    // accepted, but not yet sent
  std::atomic<bool> wants_room_{false};  // read without the mutex
  bool has_more_ = false;                // decrypted bytes are left for `read_some`
};

}  // namespace

Result<std::unique_ptr<Stream>> shake_hands_tls(Socket socket, const Endpoint& endpoint,
                                                Deadline until) {
  auto context = make_tls_context(endpoint.tls);
  if (!context) return std::move(context).error();
  TlsHandle ssl(SSL_new(context->get()));
  if (!ssl) return no_tls();
  auto stream = std::make_unique<TlsStream>(std::move(socket), *std::move(context),
                                            std::move(ssl));
  if (auto done = stream->greet(endpoint, until); !done) return std::move(done).error();
  return std::unique_ptr<Stream>(std::move(stream));
}

}  // namespace holdfast::redis
