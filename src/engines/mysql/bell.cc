#include "engines/mysql/bell.h"

#include <utility>

#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {

void Bell::taken(std::string name, const std::shared_ptr<Connection>& connection) {
  ++connection->bells;
  adopt(std::move(name), connection);
}

void Bell::adopt(std::string name, const std::shared_ptr<Connection>& connection) {
  name_ = std::move(name);
  connection_ = connection;
}

void Bell::forget_if_cut() noexcept {
  if (is_held() && connection_->is_cut()) connection_.reset();
}

void Bell::released() noexcept {
  if (is_held()) --connection_->bells;
  connection_.reset();
}

void Bell::release(Backend& backend, engine::Deadline until) {
  const auto connection = connection_;
  released();
  if (connection == nullptr || connection->is_cut()) return;
  Args args;
  args << std::string_view(name_);
  (void)backend.run(sql::kReleaseBell, args, until, connection);
}

}  // namespace holdfast::mysql
