-- SPDX-License-Identifier: Apache-2.0

-- KEYS key record   ARGV repeatable by channels
-- The returned value is spelt "number version".
local key, record = KEYS[1], KEYS[2]
local known = known_outcome(record, ARGV[1])
if known then return known end
local _, version = read(key)
redis.call('hincrby', key, 'n', ARGV[2])
redis.call('hset', key, 'v', next_version(version))
local value = read(key)
publish(channel, '1')
remember(record, ARGV[1], 1, value)
return { 1, value }
