-- SPDX-License-Identifier: Apache-2.0

-- KEYS name record queue permit_timeouts holders
-- ARGV owner lease tokens details token_ttl alive arrival permits capacity record_prefix
--   channels
local name, record, queue = KEYS[1], KEYS[2], KEYS[3]
local timeouts, holders = KEYS[4], KEYS[5]
local owner, lease, details = ARGV[1], tonumber(ARGV[2]), ARGV[4]
local alive, arrival = tonumber(ARGV[6]), tonumber(ARGV[7])
local wanted, capacity, prefix = tonumber(ARGV[8]), tonumber(ARGV[9]), ARGV[10]

local now = now_us()
local free = redis.call('get', name)
local taken = redis.call('zcard', timeouts)
if taken > 0 then
  local free_now, ended = collect_ended(name, timeouts, now)
  if ended then free, taken = free_now, taken - ended end
end
local ends = now / 1000 + lease
local was = redis.call('get', record)
if was == 'x' then return { -1 } end
if was and string.sub(was, 1, 1) == 'g' and end_of_permits(timeouts, owner) then
  redis.call('pexpire', record, lease)
  extend_permits(timeouts, owner, wanted, ends)
  return { 1, '0', 1, (free or 0) + taken }
end

local absent = not free
if absent and capacity == 0 then return { -2, 0 } end
free = tonumber(free or capacity)
local total = free + taken
if wanted > total then return { -2, total } end

local fits, queued = fits_behind(owner, wanted, free, queue, prefix)
if absent then redis.call('set', name, digits(free)) end
if fits then
  redis.call('decrby', name, wanted)
  with_permits(owner, 1, wanted, digits(ends),
    function(...) return redis.call('zadd', timeouts, ...) end)
  local left = redis.call('pttl', name)
  if left > 0 then redis.call('pexpire', timeouts, left) end
  redis.call('zadd', holders, digits(now), owner)
  redis.call('set', record, granted_record('0', 1, now, details), 'px', lease)
  if queued then remove_granted(queue, owner, free - wanted) end
  return { 1, '0', 1, total }
end

-- The waiters ahead may have missed their message, so they are woken once more.
if free >= wanted then wake_permits(name, queue, prefix) end
if arrival == 0 then arrival = now end
if alive > 0 then keep_entry(queue, record, owner, arrival, details, alive) end
local first = redis.call('zrange', timeouts, 0, 0, 'withscores')
local left = doubted or first[2] and math.max(first[2] - now / 1000, 1) or -1
return { 0, digits(left), digits(arrival) }
