-- KEYS name record queue permit_timeouts channel holders
-- ARGV owner lease tokens facts token_ttl alive arrival permits capacity record_prefix
local name, record, queue = KEYS[1], KEYS[2], KEYS[3]
local timeouts, channel, holders = KEYS[4], KEYS[5], KEYS[6]
local owner, lease, facts = ARGV[1], tonumber(ARGV[2]), ARGV[4]
local alive, arrival = tonumber(ARGV[6]), tonumber(ARGV[7])
local wanted, capacity, prefix = tonumber(ARGV[8]), tonumber(ARGV[9]), ARGV[10]

local now = now_us()
redis.call('get', name)
collect_ended(name, timeouts, channel, now)
local ends = digits(now / 1000 + lease)
local was = redis.call('get', record)
if was == 'x' then return { -1 } end
if was and string.sub(was, 1, 1) == 'g' and
    redis.call('zscore', timeouts, permit_id(owner, 1)) then
  for number = 1, wanted do
    redis.call('zadd', timeouts, 'xx', ends, permit_id(owner, number))
  end
  redis.call('pexpire', record, lease)
  return { 1, '0', 1 }
end

local free = redis.call('get', name)
if not free then
  if capacity == 0 then return { -2, 0 } end
  free = capacity
end
free = tonumber(free)
local total = free + redis.call('zcard', timeouts)
if wanted > total then return { -2, total } end

local function ahead()
  local sum = 0
  for _, place in ipairs(places(queue, prefix)) do
    if place.owner == owner then break end
    sum = sum + place.permits
  end
  return sum
end
if free >= wanted and ahead() + wanted > free then ring_permits(name, queue, prefix) end
redis.call('set', name, digits(free), 'nx')

if ahead() + wanted <= free then
  redis.call('decrby', name, wanted)
  for number = 1, wanted do
    redis.call('zadd', timeouts, ends, permit_id(owner, number))
  end
  local left = redis.call('pttl', name)
  if left > 0 then redis.call('pexpire', timeouts, left) end
  redis.call('zadd', holders, digits(now), owner)
  redis.call('set', record, granted_record('0', 1, now, facts), 'px', lease)
  redis.call('zrem', queue, owner)
  return { 1, '0', 1 }
end

if arrival == 0 then arrival = now end
if alive > 0 then keep_place(queue, record, owner, arrival, facts, alive) end
local first = redis.call('zrange', timeouts, 0, 0, 'withscores')
return { 0, first[2] and digits(math.max(first[2] - now / 1000, 1)) or '-1', digits(arrival) }
