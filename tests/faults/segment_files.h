// tests/faults/segment_files.h - segments of the local engine, whole and broken.

#pragma once

#include <gtest/gtest.h>

#include <string>

#include "holdfast/result.h"

namespace holdfast::test {

// Makes a segment that has been in use, and returns its bytes.
std::string make_segment(const std::string& path);

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);  // mode 0600

// What opening that path gives: empty, or "error <Errc> <sentence>". Asked of another
// process, so that a crash is an answer too ("died").
// `query` is what the URL says besides: "?mode=0666".
std::string try_segment(const std::string& path, const std::string& query = {});

// Whether it is refused for that reason, in a sentence that names the path.
testing::AssertionResult refused(const std::string& path, Errc why,
                                 const std::string& query = {});

}  // namespace holdfast::test
