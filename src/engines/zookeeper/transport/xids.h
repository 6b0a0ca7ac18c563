// engines/zookeeper/transport/xids.h - the library's request numbers, kept out of
// trouble.
//
// The library numbers the requests of all handles of a process with one 32-bit counter,
// which starts from the time of day. Some negative numbers mean something else on the
// wire, and a request that gets one of them breaks the connection: after about 2.5
// thousand million requests. Shortly before, the counter is moved past them.

#pragma once

#include <zookeeper/zookeeper.h>

namespace holdfast::zookeeper {

// To be called before every request. Safe for concurrent use.
void take_xid(zhandle_t* handle);

}  // namespace holdfast::zookeeper
