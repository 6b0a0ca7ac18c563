// SPDX-License-Identifier: Apache-2.0

// holdfast/holder.h - what the payload of a claim says of its holder.
//
// Every claim carries a payload, for clients that ask what holds a lock or waits for it
// (engine::Entry::payload). It begins with "host:pid:program", unless the client has a
// payload of its own (ClientOptions::payload). What a `LockReason` says follows, in
// this order, each part as far as it is known, and nothing else may follow after that:
//
//   web-07:4121:report #thread worker 4122 #function restock #description nightly run
//
// Clients of other libraries, and older clients of this one, write other payloads; the
// whole of those is in `text`.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/export.h"

namespace holdfast::inline v0 {

struct Holder {
  // The payload without the last three fields below, as its client wrote it.
  std::string text;

  // The parts of `text`, if that is "host:pid:program"; otherwise empty and zero.
  std::string host;
  std::uint64_t pid = 0;
  std::string program;

  // What a `LockReason` said, as in "worker 4122", "restock at stock.cc:42" and
  // "nightly run"; otherwise empty.
  std::string thread;
  std::string function;
  std::string description;
};

// Reads a payload. It never fails. The fields are as the other client wrote them: pass
// them through `printable` before showing them.
HOLDFAST_EXPORT Holder read_holder(std::string_view payload);

// Writes a payload of at most 256 bytes, from which `read_holder` reads `text`,
// `thread`, `function` and `description`. If they are too long together, the
// description is cut first, then the function, never inside a character. Control
// characters in the last three become `?`. If the last three are empty, the payload is
// `text`, whatever its length.
HOLDFAST_EXPORT std::string write_holder(const Holder& holder);

// Returns the last three fields as one printable text, as far as they are known:
// `thread worker 4122, in restock at stock.cc:42, for "nightly run"`.
HOLDFAST_EXPORT std::string circumstances(const Holder& holder);

// Makes text of other clients safe for a terminal or a log: a `?` replaces each
// character that could control a terminal or mislead its reader. These are control
// characters, characters that change the direction of writing, and bytes that are not
// UTF-8.
HOLDFAST_EXPORT std::string printable(std::string_view text);

}  // namespace holdfast::inline v0
