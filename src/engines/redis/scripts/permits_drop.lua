-- KEYS name record queue permit_timeouts channel holders
-- ARGV owner gone evict record_prefix permits
local name, record, queue = KEYS[1], KEYS[2], KEYS[3]
local timeouts, channel, holders = KEYS[4], KEYS[5], KEYS[6]
local owner, gone, prefix = ARGV[1], tonumber(ARGV[2]), ARGV[4]

redis.call('get', name)
collect_ended(name, timeouts, channel, now_us())
local was = redis.call('get', record)
local held = string.match(was or '', '^g|%d+|%d+|%d+|(%d+)|') or ARGV[5]
local returned = 0
if end_of_permits(timeouts, owner) then
  returned = return_permits(name, timeouts, channel, owner, 0, tonumber(held))
end
local dropped = returned > 0 and 1 or redis.call('zrem', queue, owner)
redis.call('zrem', holders, owner)
if was ~= 'x' then redis.call('del', record) end
wake_permits(name, queue, prefix)
if gone > 0 then redis.call('set', record, 'x', 'px', gone) end
if dropped == 1 and ARGV[3] == '1' then alarm(owner) end
return dropped
