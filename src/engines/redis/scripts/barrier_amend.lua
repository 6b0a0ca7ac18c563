-- SPDX-License-Identifier: Apache-2.0

-- KEYS parties record   ARGV owner lease details
local parties, record = KEYS[1], KEYS[2]
if redis.call('hget', parties, ARGV[1]) ~= 'g' then return { -1 } end
local was = redis.call('get', record)
redis.call('pexpire', record, ARGV[2])
redis.call('set', record, amended_record(was, now_us(), ARGV[3]), 'px', ARGV[2])
return { 1, '0', 1 }
