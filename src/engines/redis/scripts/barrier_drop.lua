-- SPDX-License-Identifier: Apache-2.0

-- KEYS parties record   ARGV owner tombstone evict channels
local parties, record = KEYS[1], KEYS[2]
local owner = ARGV[1]
local dropped = redis.call('hdel', parties, owner)
if redis.call('get', record) == 'x' then dropped = 0 else redis.call('del', record) end
if dropped == 1 then publish(channel, '0') end
return end_drop(owner, record, dropped)
