-- SPDX-License-Identifier: Apache-2.0

-- KEYS lock record queue token reader_timeout
-- ARGV owner lease tokens details token_ttl alive arrival mode record_prefix
--   channels
local lock, record, queue, token_key, timeout = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local owner, lease, details = ARGV[1], tonumber(ARGV[2]), ARGV[4]
local tokens, named = wanted_tokens(ARGV[3])
local alive, arrival, wanted, prefix = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8], ARGV[9]
local field = field_of(owner, wanted)

local left = redis.call('pttl', lock)
local mode = mode_of(lock, left)
local was = redis.call('get', record)
if mode and redis.call('hexists', lock, field) == 1 then
  if is_granted(was) then
    if left < lease then redis.call('pexpire', lock, lease) end
    redis.call('pexpire', record, lease)
    if wanted == 'r' then redis.call('set', timeout, 1, 'px', lease) end
    local token, reserved = token_of(was)
    return { 1, token, reserved }
  end
  -- The claim's lease is over, and other readers have kept the lock: this is a new
  -- attempt.
  redis.call('hdel', lock, field)
  if redis.call('hlen', lock) <= 1 then
    redis.call('del', lock)
    mode, left = nil, -2
  end
end
if was == 'x' then return { -1 } end

local now = now_us()
local fits = not mode or (mode == 'read' and wanted == 'r')
local blocked, queued = false, false
if fits then blocked, queued = overtakes(owner, wanted, queue, prefix) end
if blocked then
  wake_shared(queue, prefix, mode)
  fits = false
end

if fits then
  local token, refused
  if wanted == 'w' or named then
    token, refused =
      take_tokens(token_key, tokens, tonumber(ARGV[5]), now, named, wanted == 'r')
    if not token then return refused end
  else
    token = redis.call('get', token_key)
    token = token or take_tokens(token_key, 1, tonumber(ARGV[5]), now)
    tokens = 1
  end
  if mode then
    redis.call('hset', lock, field, 1)
  else
    redis.call('hset', lock, 'mode', wanted == 'w' and 'write' or 'read', field, 1)
  end
  if left < lease then redis.call('pexpire', lock, lease) end
  if wanted == 'r' then redis.call('set', timeout, 1, 'px', lease) end
  redis.call('set', record, granted_record(token, tokens, now, details), 'px', lease)
  if queued then
    redis.call('zrem', queue, owner)
    if wanted == 'r' then wake_behind(queue) end
  end
  return { 1, token, tokens }
end

if arrival == 0 then arrival = now end
if alive > 0 then keep_entry(queue, record, owner, arrival, details, alive) end
return { 0, doubted or left, digits(arrival) }
