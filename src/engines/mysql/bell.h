// engines/mysql/bell.h - a name for GET_LOCK that wakes waiters.
//
// A database cannot notify its clients. So a claim has a *bell*: a name that its
// owner's connection has locked with GET_LOCK. A waiter blocks in GET_LOCK on the same
// name, and the server lets it in when the owner releases the name, or when the owner's
// connection ends, whatever ended it. A bell decides nothing; the rows do.

#pragma once

#include <memory>
#include <string>

#include "engines/mysql/backend.h"

namespace holdfast::mysql {

// A bell that this client may have.
class Bell {
 public:
  bool is_held() const noexcept { return connection_ != nullptr; }
  const std::string& name() const noexcept { return name_; }
  // The connection that has it, or null.
  const std::shared_ptr<Connection>& connection() const noexcept { return connection_; }

  // A statement on that connection has taken it.
  void taken(std::string name, const std::shared_ptr<Connection>& connection);
  // The same, if the thread that waited for it has already counted it.
  void adopt(std::string name, const std::shared_ptr<Connection>& connection);

  // A cut connection has no bells any more.
  void forget_if_cut() noexcept;
  // The statement that ended the claim has also released the bell.
  void released() noexcept;

  // Releases it by a statement of its own, if it is held.
  void release(Backend& backend, engine::Deadline until);

 private:
  std::string name_;
  std::shared_ptr<Connection> connection_;
};

}  // namespace holdfast::mysql
