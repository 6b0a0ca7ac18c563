#include "holdfast/here.h"

namespace holdfast {
namespace {

thread_local const Here* this_threads = nullptr;

}  // namespace

Here::Here(std::string_view description, const char* function, const char* file,
           unsigned line) noexcept
    : description_(description),
      function_(function),
      file_(file),
      line_(line),
      outer_(this_threads) {
  this_threads = this;
}

Here::~Here() { this_threads = outer_; }

const Here* Here::innermost() noexcept { return this_threads; }

}  // namespace holdfast
