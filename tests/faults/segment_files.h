// SPDX-License-Identifier: Apache-2.0

// tests/faults/segment_files.h - files of the local engine, sound and damaged.

#pragma once

#include <gtest/gtest.h>

#include <string>

#include "holdfast/result.h"

namespace holdfast::test {

// Makes a segment that has been in use, and returns its bytes.
std::string make_segment(const std::string& path);

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);  // mode 0600

// Opens that path and returns an empty string, or "error <Errc> <sentence>". Another
// process does it, so that a crash gives an answer, too ("died"). `query` is the end of
// the URL, such as "?mode=0666".
std::string try_segment(const std::string& path, const std::string& query = {});

// Returns whether the file is refused for that reason, with a sentence that names the
// path.
testing::AssertionResult refused(const std::string& path, Errc why,
                                 const std::string& query = {});

}  // namespace holdfast::test
