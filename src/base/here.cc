#include "holdfast/here.h"

namespace holdfast {
namespace {

thread_local const Here* this_threads = nullptr;

}  // namespace

Here::Here(std::string_view description, std::source_location where) noexcept
    : description_(description), where_(where), outer_(this_threads) {
  this_threads = this;
}

Here::~Here() { this_threads = outer_; }

const Here* Here::innermost() noexcept { return this_threads; }

}  // namespace holdfast
