// SPDX-License-Identifier: Apache-2.0

// holdfast/export.h - marks what the shared library exports. Every header includes it.

#pragma once

#if __cplusplus < 202002L
#error "Holdfast needs C++20: compile with -std=c++20 or later"
#endif

#define HOLDFAST_EXPORT [[gnu::visibility("default")]]
