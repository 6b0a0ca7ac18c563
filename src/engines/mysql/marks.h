// engines/mysql/marks.h - how a change to a number is known to have been made.
//
// A change whose answer is lost may have been made or not. So it is made together with
// another, of a row that only this client writes: its mark, which then says whose
// change was the last with it. A change wants the number's version as it was seen, and
// a mark that does not speak of it yet: if it is sent again while it is on its way, one
// of the two comes to nothing.

#pragma once

#include "base/late_mark.h"

namespace holdfast::mysql {

using Mark = base::LateMark;

}  // namespace holdfast::mysql
