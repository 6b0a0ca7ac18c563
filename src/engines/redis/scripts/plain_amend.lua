-- SPDX-License-Identifier: Apache-2.0

-- KEYS name record queue permit_timeouts
-- ARGV owner lease details permits record_prefix channels
local name, record, queue = KEYS[1], KEYS[2], KEYS[3]
local kept = tonumber(ARGV[4])
local was = redis.call('get', record)
local held = tonumber(string.match(was or '', '^g|%d+|%d+|%d+|(%d+)|') or 0)
if held == 0 then return { -1 } end
if kept > held then return { -3 } end
redis.call('persist', record)
redis.call('set', record, amended_record(was, now_us(), ARGV[3]))
if kept < held then
  publish(channel, '0' .. redis.call('incrby', name, held - kept))
  wake_permits(name, queue, ARGV[5])
end
return { 1, '0', 1 }
