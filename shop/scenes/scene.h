// SPDX-License-Identifier: Apache-2.0

// shop/scenes/scene.h - the hole of each home-made lock, shown on a real server.
//
// A scene has two halves. In the first, a lock of the ladder really fails; in the
// second, Holdfast meets the same accident and does not. What has to die or to be
// stopped plays its part in a process of its own: `holdfast-shop act NAME`.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "places.h"
#include "servers/servers.h"

namespace holdfast::shop {

struct Stage {
  std::string program;  // holdfast-shop
  std::string dir;      // for files
  Places places;        // with a Redis, and lock_url of the scene's engine
};

struct Scene {
  std::string_view name;
  std::string_view told;        // what happens, in one sentence
  std::string_view engine;      // of Holdfast: "redis" or "zookeeper"
  bool (*hole)(const Stage&);   // whether the home-made lock failed
  bool (*whole)(const Stage&);  // whether Holdfast did not
};

struct SceneResult {
  const Scene* scene = nullptr;
  bool hole_shown = false;
  bool holdfast_whole = false;
};

std::span<const Scene> scenes();

// Starts the servers that the scene needs, and plays it. Throws StoreError,
// holdfast::Error or Trouble.
SceneResult play(const Scene& scene, Servers& servers, const std::string& program,
                 const std::string& dir);

// Plays a part in this process. `go` is the path of a file: a part that has to wait for
// the scene goes on when the file is there. Throws Trouble when there is no such part.
void play_part(std::string_view name, const std::string& go);

}  // namespace holdfast::shop
