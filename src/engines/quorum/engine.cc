// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/engine.h"

#include <iterator>
#include <utility>

#include "base/url_engine.h"
#include "engines/quorum/session.h"

namespace holdfast::quorum {
namespace {

constexpr std::size_t kFewest = 3;

}  // namespace

Result<std::unique_ptr<engine::Engine>> make_engine(
    std::vector<std::unique_ptr<engine::Engine>> nodes) {
  if (nodes.size() < kFewest) {
    return Failure(Errc::bad_url,
                   "a quorum has at least three nodes, as in "
                   "quorum:redis://a,redis://b,redis://c");
  }
  using Engines = std::vector<std::shared_ptr<engine::Engine>>;
  using Made = base::UrlEngine<Engines, Backend, QuorumSession>;
  return std::unique_ptr<engine::Engine>(
      std::make_unique<Made>("quorum", Engines(std::make_move_iterator(nodes.begin()),
                                               std::make_move_iterator(nodes.end()))));
}

}  // namespace holdfast::quorum
