-- SPDX-License-Identifier: Apache-2.0

-- KEYS lock record queue token fair_queue fair_timeouts
-- ARGV owner tombstone evict token_ttl wait channels
--
-- This is the first part of a drop. As a rule no client waits when a lock is released. The
-- server need not make the functions of the second part then.
local lock, record, token_key, queue = KEYS[1], KEYS[2], KEYS[4], KEYS[5]
local owner = ARGV[1]

-- Publishes that the lock is free for clients that wait for a Mutex of this name. Returns
-- the first of ours, which is to be woken.
local function publish_release()
  publish(channel, '00')
  return redis.call('zpopmin', KEYS[3])[1]
end

local held, published, plain = owns(lock, owner), false, nil
if held then
  redis.call('del', lock, record)
  if not redis.call('lindex', queue, '0') then
    published, plain = true, publish_release()
    if not plain and ARGV[2] == '0' and ARGV[3] == '0' then return 1 end
  end
end

local timeouts, wait = KEYS[6], tonumber(ARGV[#ARGV - 3])
local record_prefix = string.sub(record, 1, -#owner - 1)
