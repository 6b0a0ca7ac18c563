// SPDX-License-Identifier: Apache-2.0

#include "testing/fake_failures.h"

#include <string>

namespace holdfast::test {
namespace {

std::string quoted(const engine::Address& address) {
  return "\"" + address.name + "\"";
}

}  // namespace

Failure used_by_another_kind(const engine::Address& address) {
  return {
      Errc::wrong_kind,
      quoted(address) + " is in use by another kind of primitive: use another name"};
}

Failure cannot_grow(const engine::Address& address) {
  return {Errc::unsupported, "a claim on " + quoted(address) +
                                 " can be made smaller, not larger: release it and "
                                 "acquire more"};
}

Failure reader_cannot_write(const engine::Address& address) {
  return {Errc::unsupported, "a reader of " + quoted(address) +
                                 " cannot become its writer: release it and lock for "
                                 "writing"};
}

Failure too_many_permits(const engine::Address& address, std::uint32_t wanted,
                         std::int64_t capacity) {
  const std::string most = std::to_string(capacity);
  const std::string remedy =
      capacity > 0 ? "ask for at most " + most + ", or set a larger number with"
                   : "set their number first, with";
  return {Errc::bad_argument, quoted(address) + " will never have " +
                                  std::to_string(wanted) + " permits, it has " + most +
                                  ": " + remedy +
                                  " Semaphore::set_permits or `holdfast semaphore`"};
}

Failure number_does_not_fit(const engine::Address& address) {
  return {Errc::bad_argument, "the change would overflow the 64 bits of " +
                                  quoted(address) +
                                  ", so nothing was changed: change it by less"};
}

Failure token_too_far_ahead(const engine::Address& address) {
  return {Errc::bad_argument,
          "a token for " + quoted(address) +
              " was named that is more than an hour ahead of the server's clock: set "
              "the clocks of this host and of the server"};
}

Failure was_given_up(const engine::Address& address) {
  return {Errc::not_held, "a claim on " + quoted(address) +
                              " was given up and is attempted again: acquire it anew"};
}

}  // namespace holdfast::test
