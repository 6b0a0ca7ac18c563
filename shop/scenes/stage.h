// SPDX-License-Identifier: Apache-2.0

// shop/scenes/stage.h - what scenes have in common.

#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "holdfast/client.h"
#include "scenes/scene.h"
#include "servers/child.h"

namespace holdfast::shop {

inline constexpr std::chrono::seconds kSceneLimit{60};

// Waits for a condition, never for a time. Returns false when it is not met for long.
template <class Condition>
bool soon(Condition met) {
  const auto end = std::chrono::steady_clock::now() + kSceneLimit;
  while (!met()) {
    if (std::chrono::steady_clock::now() > end) return false;
    throw_if_interrupted();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

inline Client open_engine(const Places& places) {
  return Client::open(places.lock_url).value();
}

inline std::string go_file(const Stage& stage) { return stage.dir + "/go"; }

// Starts a part in a process of its own, which finds no go file yet.
inline Child start_part(const Stage& stage, const std::string& name) {
  std::filesystem::remove(go_file(stage));
  stage.places.to_environment();
  return Child({stage.program, "act", name, "--go", go_file(stage)},
               stage.dir + "/" + name + ".log");
}

inline void let_go(const Stage& stage) { std::ofstream(go_file(stage)) << "go"; }

inline void say(const std::string& word) { std::cout << word << std::endl; }

// Words between a part and its scene.
inline constexpr const char* kHolding = "holding";
inline constexpr const char* kWrote = "wrote";
inline constexpr const char* kRefused = "refused";

}  // namespace holdfast::shop
