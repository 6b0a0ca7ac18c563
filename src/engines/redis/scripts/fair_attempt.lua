-- KEYS lock record queue token fair_queue fair_timeouts channel
-- ARGV owner lease tokens details token_ttl alive arrival wait record_prefix
local lock, record, token_key = KEYS[1], KEYS[2], KEYS[4]
local queue, timeouts, channel = KEYS[5], KEYS[6], KEYS[7]
local owner, lease, tokens, details = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local alive, arrival = tonumber(ARGV[6]), tonumber(ARGV[7])
local wait, prefix = tonumber(ARGV[8]), ARGV[9]

-- A claim that has no record has no entry in the queue either: without its record it is
-- dead, and is removed before it could be granted as the head.
local function grant()
  local now = now_us()
  local token = take_tokens(token_key, tokens, tonumber(ARGV[5]), now)
  local mine = granted_record(token, tokens, now, details)
  if not redis.call('set', record, mine, 'nx', 'px', lease) then
    if redis.call('get', record) == 'x' then return { -1 } end
    redis.call('set', record, mine, 'px', lease)
    leave(queue, timeouts, owner, wait)
  end
  take(lock, owner, lease)
  return { 1, token, tokens }
end

local free = redis.call('exists', lock) == 0
if not free then
  if owns(lock, owner) then return same_grant(lock, record, tonumber(lease)) or grant() end
  check_kind(lock)
elseif not redis.call('lindex', queue, 0) then
  return grant()
end

local was, now, doubted = redis.call('get', record), now_us(), nil
if was == 'x' then return { -1 } end
if arrival == 0 then arrival = now end
if alive > 0 then
  redis.call('set', record, waiting_record(arrival, details), 'px', alive)
end
local head = fair_head(queue, timeouts, prefix, wait)
if free then
  if not head or head == owner then return grant() end
  local _, left = wake_fair(queue, timeouts, channel, prefix, wait)
  doubted = left
end

local left = redis.call('pttl', lock)
if alive > 0 then
  local time, step = redis.call('zscore', timeouts, owner), math.max(wait, alive)
  if time then
    stay(queue, timeouts, owner, time, head == owner, left, step, now)
  else
    if was then redis.call('lrem', queue, 1, owner) end
    enter(queue, timeouts, owner, left, step, now)
  end
end
return { 0, doubted or left, digits(arrival) }
