-- SPDX-License-Identifier: Apache-2.0

-- KEYS name record queue permit_timeouts holders
-- ARGV owner tombstone evict record_prefix permits channels
local name, record, queue, holders = KEYS[1], KEYS[2], KEYS[3], KEYS[5]
local owner = ARGV[1]

redis.call('get', name)
local was = redis.call('get', record)
local held = string.match(was or '', '^g|%d+|%d+|%d+|(%d+)|')
local dropped = redis.call('zrem', queue, owner)
if held then
  publish(channel, '0' .. redis.call('incrby', name, held))
  redis.call('zrem', holders, owner)
  dropped = 1
end
if was ~= 'x' then redis.call('del', record) end
wake_permits(name, queue, ARGV[4])
return end_drop(owner, record, dropped)
