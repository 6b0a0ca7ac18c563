// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/transport/xids.h - keeps the library's request numbers (xids)
// valid.
//
// The library numbers the requests of all handles of a process with one 32-bit counter,
// which starts from the time of day. Some negative numbers have a special meaning in
// the protocol, and a request with one of them breaks the connection: after about 2.5
// thousand million requests. Shortly before, the counter is moved past them.

#pragma once

#include <zookeeper/zookeeper.h>

namespace holdfast::zookeeper {

// It must be called before every request. The function is safe for concurrent use.
void take_xid(zhandle_t* handle);

}  // namespace holdfast::zookeeper
