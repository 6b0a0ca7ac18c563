// SPDX-License-Identifier: Apache-2.0

// tests/support/victim_primitives.h - the victim's primitives, one operation per line.
//
//   use FORM NAME [N]   makes one; N: permits, parties, a seed, or how many locks
//   do OPERATION ...    as below; the answer is behind the arrow
//
//   mutex, fair_mutex   try -> yes or no, take, release, token, valid
//   recursive_mutex     the same, and depth
//   shared_mutex        try [shared], take [shared], downgrade, upgrade, exclusive
//   semaphore           try [N], take [N], give N, count; set N, try_set N, get,
//                       available
//   election            try [PAYLOAD], take [PAYLOAD], proclaim PAYLOAD, leader
//   multi_lock          try [INDEX...], take [INDEX...]: without an index, all
//   double_barrier      try, take (to enter), leave -> whether no party is in
//   latch               try, take (to wait), set N, down N -> what is left, get
//   barrier             try, take (to wait), set, remove, get
//   counter             add N, subtract N, exchange N, compare_exchange FROM TO,
//                       update BY LIMIT (adds, unless that is above) -> whether it was
//                       done, before, after, tries; get
//   shared_count        try_set NUMBER VERSION TO -> whether, number, version; set TO,
//                       get -> number, version
//
// `try` does not wait, `take` waits for ever. A new acquisition replaces what was held.
// All locks have `release`, `token` and `valid`.

#pragma once

#include <functional>
#include <istream>
#include <map>
#include <string>

#include "holdfast/client.h"

namespace holdfast::test {

// The operations throw holdfast::Error.
using Operations = std::map<std::string, std::function<std::string(std::istream&)>>;

// `words` are what follows `use`.
Operations make_primitive(const Client& client, std::istream& words);

// `words` are what follows `do`.
std::string perform(const Operations& operations, std::istream& words);

}  // namespace holdfast::test
