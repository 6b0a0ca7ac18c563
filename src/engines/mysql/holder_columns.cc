// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/holder_columns.h"

#include <limits.h>
#include <unistd.h>

#include <array>
#include <utility>

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

HolderColumns HolderColumns::of(std::string_view payload) {
  Holder said = read_holder(payload);
  if (said.text.size() > kLongestPayload) said.text.resize(kLongestPayload);
  return {.payload = std::move(said.text),
          .thread = std::move(said.thread),
          .function = std::move(said.function),
          .description = std::move(said.description)};
}

void HolderColumns::name_this_thread() {
  if (thread.empty()) thread = base::thread_identity();
}

Args& operator<<(Args& args, const HolderColumns& holder) {
  return args << holder.payload << std::string_view(this_host()) << holder.thread
              << holder.function << holder.description;
}

}  // namespace holdfast::mysql
