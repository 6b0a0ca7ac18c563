-- Takes `count` tokens, above all earlier ones and not below the clock. A key that a
-- peer made has no TTL and never gets one.
local function take_tokens(key, count, ttl, now)
  local last = redis.call('get', key)
  if not last then
    if ttl > 0 then
      redis.call('set', key, digits(now + count - 1), 'px', ttl)
    else
      redis.call('set', key, digits(now + count - 1))
    end
    return digits(now)
  end
  last = tonumber(last)
  if not last then error({ err = 'WRONGTYPE the token key holds no number' }) end
  local first = math.max(last + 1, now)
  redis.call('incrby', key, digits(first + count - 1 - last))
  if ttl > 0 and redis.call('pttl', key) > 0 then redis.call('pexpire', key, ttl) end
  return digits(first)
end
