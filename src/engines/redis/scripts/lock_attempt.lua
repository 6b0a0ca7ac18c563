-- SPDX-License-Identifier: Apache-2.0

-- KEYS lock record queue token
-- ARGV owner lease tokens details token_ttl alive arrival [channels, if grants are published]
local lock, record, queue, token_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner, lease, details = ARGV[1], ARGV[2], ARGV[4]
local tokens, named = wanted_tokens(ARGV[3])
local alive, arrival = tonumber(ARGV[6]), tonumber(ARGV[7])

local function grant()
  local now = now_us()
  local token, taken = take_tokens(token_key, tokens, tonumber(ARGV[5]), now, named)
  if not token then return taken end
  local mine = granted_record(token, taken, now, details)
  if not redis.call('set', record, mine, 'nx', 'px', lease) then
    if redis.call('get', record) == 'x' then return { -1 } end
    redis.call('set', record, mine, 'px', lease)
    arrival = now
  end
  if arrival > 0 then redis.call('zrem', queue, owner) end
  take(lock, owner, lease)
  if ARGV[8] then redis.call(ARGV[9], ARGV[8], '2') end
  return { 1, token, taken }
end

local held, foreign = holders(lock), 0
if #held == 0 then return grant() end
for _, holder in ipairs(held) do
  if holder == owner then return same_grant(lock, record, tonumber(lease)) or grant() end
  if not is_ours(holder) then foreign = 1 end
end

local now = 0
if alive > 0 then
  local was = redis.call('get', record)
  if was == 'x' then return { -1 } end
  now = now_us()
  if arrival == 0 then arrival = now end
  redis.call('zadd', queue, 'nx', digits(arrival), owner)
  redis.call('pexpire', queue, alive * 4)
  redis.call('set', record, waiting_record(arrival, details, lease, tokens, was), 'px', ARGV[6])
end
return { 0, redis.call('pttl', lock), digits(arrival), digits(now), foreign }
