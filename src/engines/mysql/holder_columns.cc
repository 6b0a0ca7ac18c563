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

// The columns have room for so many bytes.
constexpr std::size_t kLongestPayload = 1024;
constexpr std::size_t kLongestThread = 64;
constexpr std::size_t kLongestReason = 512;

const std::string& this_host() {
  static const std::string name = [] {
    std::array<char, HOST_NAME_MAX + 1> text{};
    const bool known = gethostname(text.data(), text.size() - 1) == 0;
    return std::string(known ? text.data() : "");
  }();
  return name;
}

std::string shortened(std::string text, std::size_t most) {
  if (text.size() > most) text.resize(most);
  return text;
}

}  // namespace

// A payload may have been written by the program itself, so each part of it may be as
// long as it likes. The server would refuse what a column has no room for.
HolderColumns HolderColumns::of(std::string_view payload) {
  Holder said = read_holder(payload);
  return {.payload = shortened(std::move(said.text), kLongestPayload),
          .thread = shortened(std::move(said.thread), kLongestThread),
          .function = shortened(std::move(said.function), kLongestReason),
          .description = shortened(std::move(said.description), kLongestReason)};
}

void HolderColumns::name_this_thread() {
  if (thread.empty()) thread = base::thread_identity();
}

Args& operator<<(Args& args, const HolderColumns& holder) {
  return args << holder.payload << std::string_view(this_host()) << holder.thread
              << holder.function << holder.description;
}

}  // namespace holdfast::mysql
