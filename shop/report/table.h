// SPDX-License-Identifier: Apache-2.0

// shop/report/table.h - the result for a terminal.

#pragma once

#include <cstdio>

#include "sale/sale.h"
#include "scenes/scene.h"

namespace holdfast::shop {

// The lines of a sale are printed as it goes.
void print_head(std::FILE* out, const SaleOptions& options);
void print_row(std::FILE* out, const SaleResult& sale, const SaleOptions& options);

void print_scene(std::FILE* out, const SceneResult& result);

}  // namespace holdfast::shop
