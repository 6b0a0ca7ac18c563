-- SPDX-License-Identifier: Apache-2.0

-- KEYS name record queue permit_timeouts
-- ARGV owner lease details permits record_prefix channels
local name, record, queue, timeouts = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner, lease, kept = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[4])
local now = now_us()
local was = redis.call('get', record)
local held = tonumber(string.match(was or '', '^g|%d+|%d+|%d+|(%d+)|') or 0)
if held == 0 or not end_of_permits(timeouts, owner) then return { -1 } end
if kept > held then return { -3 } end
redis.call('pexpire', record, lease)
extend_permits(timeouts, owner, kept, now / 1000 + lease)
redis.call('set', record, amended_record(was, now, ARGV[3]), 'px', lease)
local returned, free = return_permits(name, timeouts, owner, kept, held)
if returned > 0 then wake_permits(name, queue, ARGV[5], free) end
return { 1, '0', 1 }
