// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/holder.h"

#include <limits.h>
#include <unistd.h>

#include <array>

#include "base/identity.h"
#include "holdfast/holder.h"

namespace holdfast::mysql {
namespace {

constexpr std::size_t kLongestPayload = 1024;

const std::string& this_host() {
  static const std::string name = [] {
    std::array<char, HOST_NAME_MAX + 1> text{};
    const bool known = gethostname(text.data(), text.size() - 1) == 0;
    return std::string(known ? text.data() : "");
  }();
  return name;
}

}  // namespace

Holder Holder::of_this_thread(std::string_view payload) {
  const holdfast::Holder said = read_holder(payload);
  Holder holder;
  holder.payload = said.text.substr(0, kLongestPayload);
  holder.thread = said.thread.empty() ? base::thread_identity() : said.thread;
  holder.function = said.function;
  holder.description = said.description;
  return holder;
}

Args& operator<<(Args& args, const Holder& holder) {
  return args << holder.payload << std::string_view(this_host()) << holder.thread
              << holder.function << holder.description;
}

}  // namespace holdfast::mysql
