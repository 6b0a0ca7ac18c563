-- SPDX-License-Identifier: Apache-2.0

-- KEYS lock record queue reader_timeout
-- ARGV owner tombstone evict record_prefix timeout_prefix channels
local lock, record, queue, timeout = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner, prefix, timeout_prefix = ARGV[1], ARGV[4], ARGV[5]

-- Returns how long the remaining readers' leases last, or zero if there are none. A
-- reader whose lease lasts about as long as the lock itself is enough: the lock then
-- keeps its TTL, and no further reader is looked at.
local function readers_left()
  local longest, now = 0, nil
  local fields = redis.call('hgetall', lock)
  for f = 1, #fields, 2 do
    for i = 1, fields[f] ~= 'mode' and tonumber(fields[f + 1]) or 0 do
      local key = timeout_prefix .. fields[f] .. ':rwlock_timeout:' .. i
      now = now or redis.call('pttl', lock)
      longest = math.max(longest, redis.call('pttl', key))
      if longest >= 0.99 * now then return now end
    end
  end
  return longest
end

local dropped = 1
local mode = redis.call('hget', lock, 'mode') or nil
if mode == 'write' and redis.call('hdel', lock, owner .. ':write') == 1 then
  if redis.call('hlen', lock) <= 1 then
    redis.call('del', lock, record)
    mode = nil
  else
    redis.call('del', record)
    redis.call('hset', lock, 'mode', 'read')
    mode = 'read'
  end
  tell_readers()
elseif mode and redis.call('hdel', lock, owner) == 1 then
  local left = mode ~= 'write' and readers_left()
  if left and left <= 0 then
    redis.call('del', lock, record, timeout)
    publish(channel, '00')
    mode = nil
  else
    redis.call('del', record, timeout)
    if left then redis.call('pexpire', lock, left) end
  end
else
  dropped = redis.call('zrem', queue, owner)
  if redis.call('get', record) ~= 'x' then redis.call('del', record) end
end
wake_shared(queue, prefix, mode)
return end_drop(owner, record, dropped)
