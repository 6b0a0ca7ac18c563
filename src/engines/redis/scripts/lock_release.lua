-- SPDX-License-Identifier: Apache-2.0

-- KEYS lock record queue fair_queue token
-- ARGV owner tombstone evict token_ttl channels
--
-- This is the first part of a drop. As a rule none of our clients waits when a lock is
-- released. Nothing else is to be done then, and the server need not even make the
-- functions that the second part uses.
local lock, record, queue = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]

-- Publishes that the lock is free, and looks which clients wait for it: peers that are
-- subscribed, the first in the queue of FairMutex, the first of ours.
local subscribed, fair, head
local function first_waiter() return redis.call('zrange', queue, '0', '0')[1] end
local function publish_release()
  subscribed = publish(channel, '00') > 0
  fair, head = redis.call('lindex', KEYS[4], '0'), first_waiter()
end

local held = owns(lock, owner)
if held then
  redis.call('del', lock, record)
  publish_release()
  if not head and not fair and ARGV[2] == '0' and ARGV[3] == '0' then return 1 end
end
