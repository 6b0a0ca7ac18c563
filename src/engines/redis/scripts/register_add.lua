-- KEYS key record channel   ARGV repeatable by
-- The returned value is spelt "number version".
local key, record, channel = KEYS[1], KEYS[2], KEYS[3]
local known = known_outcome(record, ARGV[1])
if known then return known end
local _, version = read(key)
redis.call('hincrby', key, 'n', ARGV[2])
redis.call('hset', key, 'v', next_version(version))
local value = read(key)
redis.call('publish', channel, '1')
remember(record, ARGV[1], 1, value)
return { 1, value }
