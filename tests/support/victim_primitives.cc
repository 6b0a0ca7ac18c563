// SPDX-License-Identifier: Apache-2.0

#include "support/victim_primitives.h"

#include "support/victim_operations.h"

namespace holdfast::test {

Operations make_primitive(const Client& client, std::istream& words) {
  Forms forms = claim_forms();
  forms.merge(register_forms());
  const auto form = next<std::string>(words);
  const auto name = next<std::string>(words);
  return forms.at(form)(client, name, next<std::uint32_t>(words));
}

std::string perform(const Operations& operations, std::istream& words) {
  const auto operation = next<std::string>(words);
  const auto found = operations.find(operation);
  if (found != operations.end()) return found->second(words);
  throw Error(Failure(Errc::internal, "no operation is called \"" + operation + "\""));
}

}  // namespace holdfast::test
