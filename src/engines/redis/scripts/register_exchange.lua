-- SPDX-License-Identifier: Apache-2.0

-- KEYS key record   ARGV repeatable from to channels
-- `from` is '' for absent, "number version", or "number *" for any version. `to` is ''
-- or a number.
local key, record = KEYS[1], KEYS[2]
local from, to = ARGV[2], ARGV[3]
local known = known_outcome(record, ARGV[1])
if known then return known end
local value, version = read(key)
local any = string.match(from, '^(%S+) %*$')
if value ~= from and not (any and string.match(value, '^(%S+) ') == any) then
  return { 0, value }
end
if to == '' then
  redis.call('del', key)
else
  redis.call('hset', key, 'n', to, 'v', next_version(version))
end
value = read(key)
publish(channel, '1')
remember(record, ARGV[1], 1, value)
return { 1, value }
