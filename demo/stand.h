// SPDX-License-Identifier: Apache-2.0

// demo/stand.h - what a sale needs, and leaves nothing of.

#pragma once

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "errors.h"
#include "stock.h"

namespace holdfast::demo {

class TempDir {
 public:
  TempDir() {
    std::error_code error;
    path_ = std::filesystem::temp_directory_path(error) / "holdfast-demo-XXXXXX";
    if (error || mkdtemp(path_.data()) == nullptr) {
      throw Trouble(kCannotCreate,
                    "no room for the stock: set TMPDIR to a directory that can be "
                    "written");
    }
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// This is the stock, which is removed when the sale is over.
class Sale {
 public:
  explicit Sale(const std::string& store) : stock_(open_stock(store)) {
    stock_->fill(0);
  }
  Sale(const Sale&) = delete;
  Sale& operator=(const Sale&) = delete;
  ~Sale() {
    try {
      stock_->clear_away();
    } catch (const DatabaseError& e) {
      std::cerr << "holdfast demo: the stock is left behind: " << e.what() << '\n';
    }
  }

 private:
  const std::unique_ptr<StockConnection> stock_;
};

}  // namespace holdfast::demo
