// engines/local/folder.h - the folder of a segment's file, found without being led
// astray.
//
// The way to a shared file is walked folder by folder: symbolic links are refused,
// since another user could turn one, and so is a folder in which users outside the
// file's group could put another file in its place. A sticky folder, as /dev/shm, is no
// danger: nobody else can remove a file from it.

#pragma once

#include <string>

#include "engines/local/access.h"
#include "holdfast/result.h"

namespace holdfast::local {

// Where the file is, for the *at() calls.
class Folder {
 public:
  static Result<Folder> open(const std::string& path, const Access& access);
  Folder(Folder&& other) noexcept;
  Folder& operator=(Folder&&) = delete;
  ~Folder();

  int fd() const noexcept { return fd_; }
  const std::string& itself() const noexcept { return itself_; }  // seen from fd()
  const std::string& file() const noexcept { return file_; }      // seen from fd()

 private:
  Folder(int fd, std::string itself, std::string file) noexcept;
  static Result<Folder> walk(const std::string& path, const Access& access);

  int fd_;
  std::string itself_;
  std::string file_;
};

// Makes the folder of the segment of all users, if it is not there and we are root.
void make_system_folder() noexcept;

// "cannot WHAT PATH: ...", by the error of a system call.
Failure os_failure(const std::string& what, const std::string& path, int error);

// A file that is not what it should be.
Failure refuse(const std::string& path, const std::string& why);

}  // namespace holdfast::local
