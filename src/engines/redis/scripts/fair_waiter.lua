-- SPDX-License-Identifier: Apache-2.0

-- These are those of the waiter whose entry is kept.
local queue, timeouts, wait, record_prefix
