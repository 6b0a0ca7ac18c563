// SPDX-License-Identifier: Apache-2.0

// bench/redis/many_claims.h - many held locks, straight over the waist, which nothing
// renews but `renew`.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/engine/session.h"

namespace holdfast::bench::redis {

// The name has 64 bytes, as in `memory` of engine local.
std::string name_of(int lock);

// The class is not safe for concurrent use.
class ManyClaims {
 public:
  ManyClaims(const Client& client, int locks);  // throws std::runtime_error
  ManyClaims(const ManyClaims&) = delete;
  ManyClaims& operator=(const ManyClaims&) = delete;
  ~ManyClaims();

  // Renews all of them in one call and returns how many were not confirmed.
  int renew();

 private:
  const Client client_;
  std::vector<std::shared_ptr<engine::Resource>> resources_;
  std::vector<engine::Claim> claims_;
  std::vector<engine::ClaimRef> refs_;
};

}  // namespace holdfast::bench::redis
