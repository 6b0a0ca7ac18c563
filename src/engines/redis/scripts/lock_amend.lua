-- SPDX-License-Identifier: Apache-2.0

-- KEYS lock record   ARGV owner lease details [channels, if changes are published]
local lock, record = KEYS[1], KEYS[2]
local lease = tonumber(ARGV[2])
if not owns(lock, ARGV[1]) then return { -1 } end
local was = redis.call('get', record)
local token, tokens = token_of(was)
lease = math.max(lease, redis.call('pttl', lock))
redis.call('pexpire', lock, lease)
redis.call('set', record, amended_record(was, now_us(), ARGV[3]), 'px', lease)
if ARGV[4] then redis.call(ARGV[5], ARGV[4], '2') end
return { 1, token, tokens }
