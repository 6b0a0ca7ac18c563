-- SPDX-License-Identifier: Apache-2.0

-- KEYS name record queue permit_timeouts holders
-- ARGV owner lease tokens details token_ttl alive arrival permits capacity record_prefix
--   channels
-- RSemaphore is a string that counts the free permits. It has no owners, so the record
-- that makes a retry idempotent stays until the permits are given back.
local name, record, queue, holders = KEYS[1], KEYS[2], KEYS[3], KEYS[5]
local owner, details, alive, arrival = ARGV[1], ARGV[4], tonumber(ARGV[6]), tonumber(ARGV[7])
local wanted, capacity, prefix = tonumber(ARGV[8]), tonumber(ARGV[9]), ARGV[10]

local now = now_us()
local free = redis.call('get', name)
local was = redis.call('get', record)
if was == 'x' then return { -1 } end
if was and string.sub(was, 1, 1) == 'g' then return { 1, '0', 1 } end
local absent = not free
if absent and capacity == 0 then return { -2, 0 } end
free = tonumber(free or capacity)
if capacity > 0 and wanted > capacity then return { -2, capacity } end

local fits, queued = fits_behind(owner, wanted, free, queue, prefix)
if absent then redis.call('set', name, digits(free)) end
if fits then
  redis.call('decrby', name, wanted)
  redis.call('zadd', holders, digits(now), owner)
  redis.call('set', record, granted_record('0', 1, now, details))
  if queued then remove_granted(queue, owner, free - wanted) end
  return { 1, '0', 1 }
end
-- The waiters ahead may have missed their message, so they are woken once more.
if free >= wanted then wake_permits(name, queue, prefix) end
if arrival == 0 then arrival = now end
if alive > 0 then keep_entry(queue, record, owner, arrival, details, alive) end
return { 0, digits(doubted or -1), digits(arrival) }
