-- SPDX-License-Identifier: Apache-2.0

-- Publishes the ticket of one of our owners, and a grant if there is one, to its
-- session's channel. Returns false if its client is not subscribed to it.
local function wake(owner, grant) return publish_to_session(owner, '', grant or '') end

-- The client of a waiter that is not subscribed was killed, or its subscriber
-- connection has just broken. The waiter's record then lives for `grace_ms` more; a
-- living waiter attempts again before that, which renews its record. Returns what is
-- left, in ms.
local grace_ms = 2000
local function doubt(record)
  local left = redis.call('pttl', record)
  if left <= grace_ms then return math.max(left, 1) end
  redis.call('pexpire', record, grace_ms)
  return grace_ms
end
