// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cctype>

#include "support/fault_wire.h"
#include "support/resp.h"

namespace holdfast::test {
namespace {

std::string first_word(const Resp& request) {
  std::string word = request.items.empty() ? "" : request.items.front().text;
  std::ranges::transform(word, word.begin(),
                         [](unsigned char c) { return static_cast<char>(toupper(c)); });
  return word;
}

// Replies come in the order of the requests, until the client subscribes.
class RedisWire : public Wire {
 public:
  std::optional<Request> request(const std::string& bytes) override {
    std::string rest = bytes;
    const auto request = take_resp(rest);
    if (!request) return std::nullopt;
    const std::string word = first_word(*request);
    subscribes_ |= word == "SUBSCRIBE";
    return Request{bytes.size() - rest.size(), requests_++, word,
                   word == "EVALSHA" || word == "EVAL"};
  }

  std::optional<Reply> reply(const std::string& bytes) override {
    if (bytes.empty()) return std::nullopt;
    if (subscribes_) return Reply{bytes.size(), std::nullopt};
    std::string rest = bytes;
    const auto reply = take_resp(rest);
    if (!reply) return std::nullopt;
    return Reply{bytes.size() - rest.size(), replies_++,
                 reply->text.starts_with("NOSCRIPT")};
  }

 private:
  bool subscribes_ = false;
  std::int64_t requests_ = 0;
  std::int64_t replies_ = 0;
};

}  // namespace

std::unique_ptr<Wire> make_redis_wire() { return std::make_unique<RedisWire>(); }

}  // namespace holdfast::test
