#include "engines/mysql/holder.h"

#include <limits.h>
#include <pthread.h>
#include <unistd.h>

#include <array>

#include "holdfast/here.h"

namespace holdfast::mysql {
namespace {

constexpr std::size_t kLongestPayload = 1024;
constexpr std::size_t kLongestWords = 512;

const std::string& this_host() {
  static const std::string name = [] {
    std::array<char, HOST_NAME_MAX + 1> text{};
    const bool known = gethostname(text.data(), text.size() - 1) == 0;
    return std::string(known ? text.data() : "");
  }();
  return name;
}

// "worker 4711", by which ps and debuggers know it.
const std::string& this_thread() {
  thread_local const std::string name = [] {
    std::array<char, 16> text{};
    (void)pthread_getname_np(pthread_self(), text.data(), text.size());
    return std::string(text.data()) + " " + std::to_string(gettid());
  }();
  return name;
}

std::string place_of(const Here& here) {
  return std::string(here.function()) + " at " + std::string(here.file()) + ":" +
         std::to_string(here.line());
}

}  // namespace

Holder Holder::of_this_thread(std::string_view payload) {
  Holder holder;
  holder.payload = payload.substr(0, kLongestPayload);
  holder.thread = this_thread();
  if (const Here* const here = Here::innermost()) {
    holder.function = place_of(*here).substr(0, kLongestWords);
    holder.description = here->description().substr(0, kLongestWords);
  }
  return holder;
}

Args& operator<<(Args& args, const Holder& holder) {
  return args << holder.payload << std::string_view(this_host()) << holder.thread
              << holder.function << holder.description;
}

}  // namespace holdfast::mysql
