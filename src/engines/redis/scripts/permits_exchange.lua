-- SPDX-License-Identifier: Apache-2.0

-- KEYS name record queue permit_timeouts
-- ARGV repeatable from to record_prefix channels     (from, to: a number, or '' for absent)
-- The capacity changes by changing the number of free permits, which may fall below
-- zero. It cannot be removed while permits are taken, because their owners would hold
-- permits of nothing.
local name, record, queue, timeouts = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local from, to = ARGV[2], ARGV[3]
local known = known_outcome(record, ARGV[1])
if known then return known end
local free = redis.call('get', name)
local total = free and digits(free + redis.call('zcard', timeouts)) or ''
if total ~= from then return { 0, total } end
if to == '' and redis.call('zcount', timeouts, digits(now_us() / 1000), '+inf') > 0 then
  return { 0, total }
end
if to == '' then
  redis.call('del', name, timeouts)
else
  redis.call('set', name, digits((free or 0) + to - (free and total or 0)))
  publish(channel, '0' .. math.max(0, tonumber(redis.call('get', name))))
end
remember(record, ARGV[1], 1, to)
wake_permits(name, queue, ARGV[4])
return { 1, to }
