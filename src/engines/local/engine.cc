#include "engines/local/engine.h"

#include <unistd.h>

#include <utility>

#include "engines/local/member.h"
#include "engines/local/segment.h"
#include "engines/local/session.h"

namespace holdfast::local {
namespace {

class LocalEngine final : public engine::Engine {
 public:
  explicit LocalEngine(std::string path) noexcept : path_(std::move(path)) {}

  std::string_view scheme() const noexcept override { return "local"; }

  Result<std::unique_ptr<engine::Session>> open(
      const engine::SessionOptions& options) override {
    auto segment = Segment::open(path_);
    if (!segment) return segment.error();
    auto member = Member::join(*segment, options);
    if (!member) return member.error();
    return std::unique_ptr<engine::Session>(
        std::make_unique<LocalSession>(std::move(*member)));
  }

 private:
  std::string path_;
};

}  // namespace

Result<std::unique_ptr<engine::Engine>> make_engine(std::string path) {
  if (path.empty()) path = "/dev/shm/holdfast-" + std::to_string(::geteuid());
  if (path.front() != '/' || path.back() == '/')
    return Failure(Errc::bad_url,
                   "the local engine wants the full path of a file, as "
                   "in local:///dev/shm/app-locks");
  return std::unique_ptr<engine::Engine>(
      std::make_unique<LocalEngine>(std::move(path)));
}

}  // namespace holdfast::local
