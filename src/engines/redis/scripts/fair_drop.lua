-- ARGV owner gone evict token_ttl wait
local gone = tonumber(ARGV[2])

local dropped = 0
local held = owns(lock, owner)
if held then
  redis.call('del', lock, record)
  dropped = 1
else
  dropped = leave(owner)
  if redis.call('get', record) ~= 'x' then redis.call('del', record) end
end
if held or redis.call('exists', lock) == 0 then
  if not pass_on_fair(tonumber(ARGV[4])) and dropped == 1 then
    redis.call('publish', channel, '00')
    local plain = redis.call('zpopmin', KEYS[3])
    if plain[1] then wake(plain[1]) end
  end
end
if gone > 0 then redis.call('set', record, 'x', 'px', gone) end
if dropped == 1 and ARGV[3] == '1' then alarm(owner) end
return dropped
