# SPDX-License-Identifier: Apache-2.0

# cmake -DOUT=FILE -P embed.cmake: writes the page's files as constants of C++.
set(code "// Made from the files in shop/page.\n\n#include \"page/files.h\"\n
namespace holdfast::shop {\n\n")
foreach(pair kPageHtml=page.html kPageCss=page.css kPageJs=page.js kIconSvg=icon.svg)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 constant)
  list(GET pair 1 name)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/${name} text)
  string(APPEND code "const std::string_view ${constant} = R\"page(${text})page\";\n\n")
endforeach()
file(WRITE ${OUT} "${code}}  // namespace holdfast::shop\n")
