// SPDX-License-Identifier: Apache-2.0

// engines/redis/sent_script.h - the call of a script in two halves.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "engines/redis/backend.h"
#include "engines/redis/errors.h"
#include "engines/redis/transport/requests.h"
#include "holdfast/engine/sent_call.h"

namespace holdfast::redis {

// `Read` turns the script's reply into the call's answer. It is called exactly once,
// with Errc::outcome_unknown if the reply was not waited for.
template <class T>
class SentScript final : public engine::SentCall<T> {
 public:
  using Read = std::function<Result<T>(Result<Reply>)>;

  // Null means that nothing was sent, and `read` is not called.
  static std::unique_ptr<SentScript> send(std::shared_ptr<Backend> backend, Slot slot,
                                          Invocation call, Read read) {
    std::string command;
    call.write(command);
    auto sent = backend->servers().send(slot, std::move(command));
    if (sent == nullptr) return nullptr;
    return std::unique_ptr<SentScript>(new SentScript(
        std::move(backend), slot, std::move(call), std::move(read), std::move(sent)));
  }
  ~SentScript() override {
    sent_.reset();
    if (read_ == nullptr) return;
    (void)read_(reply_ ? *std::move(reply_)
                       : Failure(Errc::outcome_unknown, "the reply was not awaited"));
  }
  SentScript(const SentScript&) = delete;
  SentScript& operator=(const SentScript&) = delete;

  int fd() const noexcept override { return reply_ ? -1 : sent_->fd(); }

  // A server that does not know the script is sent its text, and that is waited for.
  bool is_ready() override {
    if (!reply_ && sent_->is_ready()) reply_ = sent_->take(engine::Deadline::max());
    return reply_ && !is_unknown();
  }

  Result<T> take(engine::Deadline until) override {
    if (!reply_) reply_ = sent_->take(until);
    sent_.reset();
    if (is_unknown()) reply_ = backend_->call(slot_, call_, until);
    const auto read = std::exchange(read_, nullptr);
    return read(backend_->checked(slot_, *std::move(reply_)));
  }

 private:
  SentScript(std::shared_ptr<Backend> backend, Slot slot, Invocation call, Read read,
             std::unique_ptr<Requests::Sent> sent)
      : backend_(std::move(backend)),
        slot_(slot),
        call_(std::move(call)),
        read_(std::move(read)),
        sent_(std::move(sent)) {}

  bool is_unknown() const noexcept {
    return *reply_ && is_no_script((*reply_)->view());
  }

  const std::shared_ptr<Backend> backend_;
  const Slot slot_;
  const Invocation call_;
  Read read_;
  std::unique_ptr<Requests::Sent> sent_;
  std::optional<Result<Reply>> reply_;
};

}  // namespace holdfast::redis
