// SPDX-License-Identifier: Apache-2.0

// tests/adapters/world.h - two clients of a segment of their own.

#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "holdfast/client.h"
#include "holdfast/client_options.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/temp_dir.h"

namespace holdfast::test {

class AdapterTest : public testing::Test {
 protected:
  Client open(ClientOptions options = {}) const {
    return Client::open("local://" + folder_.file("segment"), std::move(options))
        .value();
  }
  // Whether the lock is free: nothing of a cancelled call is left.
  bool is_free() {
    return eventually(
        [this] { return theirs.acquire({.wait = Timeout::zero()}).has_value(); });
  }

 private:
  TempDir folder_;

 protected:
  Client client = open();
  Client rival = open();
  Mutex mutex{client, "a"};
  Mutex theirs{rival, "a"};
};

}  // namespace holdfast::test
