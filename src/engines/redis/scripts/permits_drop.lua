-- SPDX-License-Identifier: Apache-2.0

-- KEYS name record queue permit_timeouts holders
-- ARGV owner tombstone evict record_prefix permits channels
local name, record, queue = KEYS[1], KEYS[2], KEYS[3]
local timeouts, holders = KEYS[4], KEYS[5]
local owner, prefix = ARGV[1], ARGV[4]

local free = redis.call('get', name)
free = collect_ended(name, timeouts, now_us()) or tonumber(free or 0)
local was = redis.call('get', record)
local held = string.match(was or '', '^g|%d+|%d+|%d+|(%d+)|')
local returned, after = 0, nil
if held or end_of_permits(timeouts, owner) then
  held = tonumber(held or ARGV[5])
  returned, after = return_permits(name, timeouts, owner, 0, held)
end
local dropped = returned > 0 and 1 or redis.call('zrem', queue, owner)
redis.call('zrem', holders, owner)
if was ~= 'x' then redis.call('del', record) end
wake_permits(name, queue, prefix, after or free)
return end_drop(owner, record, dropped)
