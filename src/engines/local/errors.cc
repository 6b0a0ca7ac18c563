// SPDX-License-Identifier: Apache-2.0

#include "engines/local/errors.h"

#include <cerrno>
#include <cstring>

namespace holdfast::local {

Failure os_failure(const std::string& what, const std::string& path, int error) {
  Errc code = Errc::unavailable;
  const char* remedy = "; name another path in the URL";
  if (error == EACCES || error == EPERM || error == EROFS) {
    code = Errc::denied;
    remedy = "; check its rights, or name another path in the URL";
  }
  if (error == ENOSPC || error == EDQUOT) {
    code = Errc::full;
    remedy = "; make room there, or name another path in the URL";
  }
  if (error == ENOMEM) {
    code = Errc::full;
    remedy = "; free some memory and try again";
  }
  if (error == EMFILE || error == ENFILE) {
    remedy = "; raise the limit of open files, or close some of them";
  }
  return {code, "cannot " + what + " " + path + ": " + std::strerror(error) + remedy};
}

Failure refuse(const std::string& path, const std::string& why) {
  return {Errc::incompatible, path + " " + why + "; name another path in the URL"};
}

}  // namespace holdfast::local
