// SPDX-License-Identifier: Apache-2.0

// shop/sale/opened.h - a shop that is open: its services, and nginx before them.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sale/sale.h"
#include "servers/child.h"
#include "servers/nginx.h"
#include "servers/servers.h"
#include "stores/stock.h"

namespace holdfast::shop {

class OpenedShop {
 public:
  // Starts what the strategy needs, and fills the stock. Throws Trouble.
  OpenedShop(Servers& servers, const std::string& dir, const StrategyInfo& strategy,
             const SaleOptions& options);
  OpenedShop(const OpenedShop&) = delete;
  OpenedShop& operator=(const OpenedShop&) = delete;
  ~OpenedShop();

  Store store() const noexcept { return store_; }
  StockConnection& stock() noexcept { return *stock_; }
  // Returns a connection for a further thread.
  std::unique_ptr<StockConnection> new_stock_connection() const {
    return open_stock(store_, places_);
  }

  // Returns the path of the file in which the services count.
  const std::string& presence() const noexcept { return places_.presence; }

  std::span<const std::uint16_t> services() const noexcept { return ports_; }

  // Where customers go: nginx, or the first service.
  std::uint16_t port() const noexcept {
    return nginx_ ? nginx_->port() : ports_.front();
  }

  // Ends nginx and the services; the stock can still be read.
  void close() noexcept;

 private:
  const Store store_;
  Places places_;
  std::unique_ptr<StockConnection> stock_;
  std::vector<Child> children_;
  std::vector<std::uint16_t> ports_;
  std::optional<Nginx> nginx_;
};

}  // namespace holdfast::shop
