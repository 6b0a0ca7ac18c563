// SPDX-License-Identifier: Apache-2.0

// holdfast/version.h - the version of these headers.
//
//   #if HOLDFAST_VERSION_NUMBER < 100    // before 0.1.0
//   #error this program needs Holdfast 0.1
//   #endif
//
// `holdfast::version()` is the version of the library that runs. The two differ when a
// program runs with another library than it was compiled for.
//
// All public names are in the inline namespace `holdfast::v0`, which code need not
// write. Its number changes with the binary interface: objects that were compiled for
// different interfaces then do not link, instead of failing when they run.

#pragma once

#include "holdfast/export.h"

#define HOLDFAST_VERSION_MAJOR 0
#define HOLDFAST_VERSION_MINOR 1
#define HOLDFAST_VERSION_PATCH 0

// One number to compare: major * 10'000 + minor * 100 + patch.
#define HOLDFAST_VERSION_NUMBER                                     \
  (HOLDFAST_VERSION_MAJOR * 10'000 + HOLDFAST_VERSION_MINOR * 100 + \
   HOLDFAST_VERSION_PATCH)
