-- SPDX-License-Identifier: Apache-2.0

-- The queue, the timeouts and so on of the waiter that `keep` is working on.
local queue, timeouts, wait, record_prefix
