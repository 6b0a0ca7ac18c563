// SPDX-License-Identifier: Apache-2.0

#include "faults/shared/rows.h"

#include <ostream>

namespace holdfast::test {

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

std::string name_of(const testing::TestParamInfo<Row>& info) { return info.param.name; }

}  // namespace holdfast::test
