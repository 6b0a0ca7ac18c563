-- SPDX-License-Identifier: Apache-2.0

-- KEYS name record   ARGV repeatable from to latch channels   ('' means absent)
local name, record = KEYS[1], KEYS[2]
local from, to = ARGV[2], ARGV[3]
local known = known_outcome(record, ARGV[1])
if known then return known end
local value = redis.call('get', name) or ''
if value ~= from then return { 0, value } end
if to == '' then
  redis.call('del', name)
else
  redis.call('set', name, to)
end
local message = to
if ARGV[4] == '1' then message = (to == '' or to == '0') and '0' or '1' end
publish(channel, message)
remember(record, ARGV[1], 1, to)
return { 1, to }
