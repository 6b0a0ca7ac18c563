// SPDX-License-Identifier: Apache-2.0

// shop/report/table.h - the result for a terminal, and as JSON.

#pragma once

#include <cstdio>
#include <vector>

#include "sale/sale.h"

namespace holdfast::shop {

// The lines of a sale are printed as it goes.
void print_head(std::FILE* out, const SaleOptions& options);
void print_row(std::FILE* out, const SaleResult& sale, const SaleOptions& options);

// Prints one document: `strategies` and `scenes`.
void print_json(std::FILE* out, const std::vector<SaleResult>& sales,
                const SaleOptions& options);

}  // namespace holdfast::shop
