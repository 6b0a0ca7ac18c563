// holdfast/holder.h - what the payload of a claim says of its holder.
//
// Every claim carries a payload, for those who ask what holds a lock or waits for it
// (engine::Entry::payload). Unless the client has its own (ClientOptions::payload) it
// begins with "host:pid:program". What a `LockReason` says stands behind it, in this
// order, each as far as it is known, and nothing else may follow:
//
//   web-07:4121:report #thread worker 4122 #function restock #description nightly run
//
// Clients of other libraries, and older ones of this, write anything else: that is all
// in `text`.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/export.h"

namespace holdfast {

struct Holder {
  std::string text;  // the payload without the last three, as its client wrote it

  // Of a text that is "host:pid:program"; otherwise empty and zero.
  std::string host;
  std::uint64_t pid = 0;
  std::string program;

  // As `LockReason` says: "worker 4122", "restock at stock.cc:42", "nightly run".
  std::string thread;
  std::string function;
  std::string description;
};

// Never fails. What comes from others is as they wrote it: see `printable`.
HOLDFAST_EXPORT Holder read_holder(std::string_view payload);

// A payload of at most 256 bytes that reads as `text`, `thread`, `function` and
// `description`; the last is cut first, then the function, never inside a character.
// Control characters in the last three become `?`. Without any of them it is `text`,
// whatever its length.
HOLDFAST_EXPORT std::string write_holder(const Holder& holder);

// `thread worker 4122, in restock at stock.cc:42, for "nightly run"`, as far as it is
// known, printable.
HOLDFAST_EXPORT std::string circumstances(const Holder& holder);

// Text of others for a terminal or a log: with `?` for what could drive a terminal or
// mislead its reader, which is control characters, those that turn the direction of
// writing, and bytes that are not UTF-8.
HOLDFAST_EXPORT std::string printable(std::string_view text);

}  // namespace holdfast
