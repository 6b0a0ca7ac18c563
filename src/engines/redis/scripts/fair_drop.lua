-- KEYS lock record queue channel fair_queue fair_timeouts
-- ARGV owner gone evict wait record_prefix
local lock, record, channel = KEYS[1], KEYS[2], KEYS[4]
local queue, timeouts = KEYS[5], KEYS[6]
local owner, gone = ARGV[1], tonumber(ARGV[2])
local wait, prefix = tonumber(ARGV[4]), ARGV[5]

local dropped = 0
local held = owns(lock, owner)
if held then
  redis.call('del', lock, record)
  dropped = 1
else
  dropped = leave(queue, timeouts, owner, wait)
  if redis.call('get', record) ~= 'x' then redis.call('del', record) end
end
if held or redis.call('exists', lock) == 0 then
  if not wake_fair(queue, timeouts, channel, prefix, wait) and dropped == 1 then
    redis.call('publish', channel, '00')
    local plain = redis.call('zpopmin', KEYS[3])
    if plain[1] then wake(plain[1]) end
  end
end
if gone > 0 then redis.call('set', record, 'x', 'px', gone) end
if dropped == 1 and ARGV[3] == '1' then alarm(owner) end
return dropped
