// SPDX-License-Identifier: Apache-2.0

// shop/page/files.h - the page's files, which are compiled into the program.

#pragma once

#include <string_view>

namespace holdfast::shop {

extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
extern const std::string_view kPageJs;
extern const std::string_view kIconSvg;

}  // namespace holdfast::shop
