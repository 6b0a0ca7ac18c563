-- KEYS lock record queue token fair_queue fair_timeouts channel
-- ARGV owner lease tokens details token_ttl alive arrival wait record_prefix
local lock, record, token_key = KEYS[1], KEYS[2], KEYS[4]
local queue, timeouts, channel = KEYS[5], KEYS[6], KEYS[7]
local owner, lease, tokens, details = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local alive, arrival = tonumber(ARGV[6]), tonumber(ARGV[7])
local wait, prefix = tonumber(ARGV[8]), ARGV[9]

local now = now_us()
local function grant()
  local token = take_tokens(token_key, tokens, tonumber(ARGV[5]), now)
  if redis.call('lindex', queue, 0) == owner then
    redis.call('lpop', queue)
    redis.call('zrem', timeouts, owner)
    for _, each in ipairs(redis.call('lrange', queue, 0, -1)) do
      redis.call('zincrby', timeouts, -wait, each)
    end
  end
  redis.call('set', record, granted_record(token, tokens, now, details), 'px', lease)
  take(lock, owner, lease)
  return { 1, token, tokens }
end

local held = owns(lock, owner)
local same = held and same_grant(lock, record, tonumber(lease))
if same then return same end
check_kind(lock)
if redis.call('get', record) == 'x' then return { -1 } end
if held then return grant() end

if arrival == 0 then arrival = now end
if alive > 0 then
  redis.call('set', record, waiting_record(arrival, details), 'px', alive)
end
local free, doubted = redis.call('exists', lock) == 0, nil
local head = fair_head(queue, timeouts, prefix, wait, now)
if free then
  if not head or head == owner then return grant() end
  local _, left = wake_fair(queue, timeouts, channel, prefix, wait, now)
  doubted = left
end

local left = redis.call('pttl', lock)
if alive > 0 then
  if redis.call('zscore', timeouts, owner) then
    stay_in_line(timeouts, owner, wait, alive, now)
  else
    local last = redis.call('lindex', queue, -1)
    local score = last and redis.call('zscore', timeouts, last)
    local ahead = score and score - now / 1000 or math.max(left, 0)
    redis.call('zadd', timeouts, digits(ahead + wait + now / 1000), owner)
    redis.call('lrem', queue, 0, owner)
    redis.call('rpush', queue, owner)
  end
end
return { 0, doubted or left, digits(arrival) }
