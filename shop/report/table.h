// SPDX-License-Identifier: Apache-2.0

// shop/report/table.h - the result for a terminal, and as JSON.

#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "sale/sale.h"
#include "scenes/scene.h"

namespace holdfast::shop {

// The lines of a sale are printed as it goes.
void print_head(std::FILE* out, const SaleOptions& options);
void print_row(std::FILE* out, const SaleResult& sale, const SaleOptions& options);

void print_scene(std::FILE* out, const SceneResult& result);

// Prints one document: `strategies` and `scenes`.
void print_json(std::FILE* out, const std::vector<SaleResult>& sales,
                const std::vector<SceneResult>& played, const SaleOptions& options);

// Returns the text as a string of JSON, in quotes. It can stand in a page, too: there
// is no `<` in it.
std::string json_string(std::string_view text);

}  // namespace holdfast::shop
