-- SPDX-License-Identifier: Apache-2.0

-- KEYS parties record   ARGV owner tombstone evict channels
local parties, record = KEYS[1], KEYS[2]
local owner, tombstone = ARGV[1], tonumber(ARGV[2])
local dropped = redis.call('hdel', parties, owner)
if redis.call('get', record) == 'x' then dropped = 0 else redis.call('del', record) end
if dropped == 1 then publish(channel, '0') end
if tombstone > 0 then redis.call('set', record, 'x', 'px', tombstone) end
if dropped == 1 and ARGV[3] == '1' then alarm(owner) end
return dropped
