#include "engines/quorum/engine.h"

#include <utility>

#include "engines/quorum/session.h"

namespace holdfast::quorum {
namespace {

constexpr std::size_t kFewest = 3;

class QuorumEngine final : public engine::Engine {
 public:
  explicit QuorumEngine(std::vector<std::unique_ptr<engine::Engine>> nodes) {
    for (auto& node : nodes) nodes_.push_back(std::move(node));
  }

  std::string_view scheme() const noexcept override { return "quorum"; }

  Result<std::unique_ptr<engine::Session>> open(
      const engine::SessionOptions& options) override {
    auto backend = Backend::open(nodes_, options);
    if (!backend) return std::move(backend).error();
    return std::unique_ptr<engine::Session>(
        std::make_unique<QuorumSession>(*std::move(backend)));
  }

 private:
  std::vector<std::shared_ptr<engine::Engine>> nodes_;
};

}  // namespace

Result<std::unique_ptr<engine::Engine>> make_engine(
    std::vector<std::unique_ptr<engine::Engine>> nodes) {
  if (nodes.size() < kFewest) {
    return Failure(Errc::bad_url,
                   "bad URL: a quorum has at least three nodes, as in "
                   "quorum:redis://a,redis://b,redis://c");
  }
  return std::unique_ptr<engine::Engine>(
      std::make_unique<QuorumEngine>(std::move(nodes)));
}

}  // namespace holdfast::quorum
