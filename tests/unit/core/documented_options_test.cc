// SPDX-License-Identifier: Apache-2.0

// docs/configuration.md has a table of every option, which must agree with the code.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "core/engine_table.h"

namespace holdfast::core {
namespace {

using Names = std::set<std::string>;

// The rows are "| `option` | engine, engine | default | meaning |".
std::map<std::string, Names> documented() {
  std::ifstream page(HOLDFAST_DOCS "/configuration.md");
  std::map<std::string, Names> options;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| option | engines |")) inside = true;
    if (line.empty()) inside = false;
    if (!inside || !line.starts_with("| `")) continue;
    const auto name = line.substr(3, line.find('`', 3) - 3);
    std::istringstream rest(line.substr(line.find("| ", 3) + 2));
    std::string engines;
    std::getline(rest, engines, '|');
    std::erase(engines, ' ');
    std::istringstream each(engines);
    for (std::string engine; std::getline(each, engine, ',');) {
      EXPECT_TRUE(options[engine].insert(name).second) << engine << " " << name;
    }
  }
  return options;
}

TEST(DocumentedOptionsTest, AreThoseOfTheCode) {
  const auto pages = documented();
  for (const std::string engine : {"local", "redis", "zookeeper", "etcd", "mysql"}) {
    if (available_engines().find(engine) == std::string_view::npos) continue;
    const auto names = option_names(engine);
    ASSERT_TRUE(pages.contains(engine)) << engine;
    EXPECT_EQ(pages.at(engine), Names(names.begin(), names.end())) << engine;
  }
}

}  // namespace
}  // namespace holdfast::core
