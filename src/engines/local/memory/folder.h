// SPDX-License-Identifier: Apache-2.0

// engines/local/memory/folder.h - opens the folder of a segment's file in a way that
// another user cannot redirect.
//
// The path to a shared file is walked folder by folder. Symbolic links are refused,
// since another user could replace one, and so is a folder in which users outside the
// file's group could replace the file. A sticky folder, such as /dev/shm, is safe,
// because only the owner of a file can remove it.

#pragma once

#include <string>

#include "engines/local/memory/access.h"
#include "holdfast/result.h"

namespace holdfast::local {

// A Folder is an open directory, for the *at() calls.
class Folder {
 public:
  static Result<Folder> open(const std::string& path, const Access& access);
  Folder(Folder&& other) noexcept;
  Folder& operator=(Folder&&) = delete;
  ~Folder();

  int fd() const noexcept { return fd_; }
  const std::string& itself() const noexcept { return itself_; }  // relative to fd()
  const std::string& file() const noexcept { return file_; }      // relative to fd()

 private:
  Folder(int fd, std::string itself, std::string file) noexcept;
  static Result<Folder> walk(const std::string& path, const Access& access);

  int fd_;
  std::string itself_;
  std::string file_;
};

// Creates the folder of the segment of all users, if it does not exist and this process
// is root.
void make_system_folder() noexcept;

}  // namespace holdfast::local
