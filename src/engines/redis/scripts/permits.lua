-- SPDX-License-Identifier: Apache-2.0

-- RPermitExpirableSemaphore is a string that counts the free permits, and a sorted set
-- of permit ids with the time at which each permit ends. Our ids are made from the
-- owner and a number; a peer's owner is its id in hexadecimal.
local function bytes_of(hex)
  return (string.gsub(hex, '..', function(two) return string.char(tonumber(two, 16)) end))
end
local function permit_ids(owner)
  if #owner == 32 then
    local id = bytes_of(owner)
    return function() return id end
  end
  local first = bytes_of(string.sub(redis.sha1hex(owner), 1, 24))
  return function(number) return first .. struct.pack('>I4', number) end
end

-- Calls `use` with the ids of these permits, 500 at a time, each after the word
-- `before` if there is one; returns the sum of its results.
local function with_permits(owner, from, to, before, use)
  local id_of, sum = permit_ids(owner), 0
  for start = from, to, 500 do
    local words = {}
    for number = start, math.min(start + 499, to) do
      if before then words[#words + 1] = before end
      words[#words + 1] = id_of(number)
    end
    sum = sum + use(unpack(words))
  end
  return sum
end

-- Returns when the permits of one of our owners end, in ms, or nil if it has none. All
-- of them end together.
local function end_of_permits(timeouts, owner)
  return tonumber(redis.call('zscore', timeouts, permit_ids(owner)(1)) or nil)
end

-- Moves that end if the new one is later; returns false if some of the permits are
-- gone. Permits that were moved in the same millisecond do not move again and are
-- counted.
local function extend_permits(timeouts, owner, held, ends)
  ends = digits(math.max(ends, end_of_permits(timeouts, owner) or 0))
  local moved = with_permits(owner, 1, held, ends,
    function(...) return redis.call('zadd', timeouts, 'xx', 'ch', ...) end)
  if moved == held then return true end
  return held == with_permits(owner, 1, held, nil, function(...)
    local there = 0
    for _, id in ipairs({ ... }) do
      if redis.call('zscore', timeouts, id) then there = there + 1 end
    end
    return there
  end)
end

-- Permits that have ended become free again. Returns how many are free then and how many
-- have ended, or nil if none has.
local function collect_ended(name, timeouts, now)
  local ended = redis.call('zrangebyscore', timeouts, 0, digits(now / 1000), 'limit', 0, 1000)
  if #ended == 0 then return end
  redis.call('zrem', timeouts, unpack(ended))
  local free = redis.call('incrby', name, #ended)
  publish(channel, free)
  return free, #ended
end

-- Gives back those of an owner's permits whose number is above `kept`. Returns how many
-- they were and, if there were any, how many are free then.
local function return_permits(name, timeouts, owner, kept, held)
  local returned = with_permits(owner, kept + 1, held, nil,
    function(...) return redis.call('zrem', timeouts, ...) end)
  if returned == 0 then return 0 end
  local free = redis.call('incrby', name, returned)
  publish(channel, '0' .. free)
  return returned, free
end

-- Wakes, in order, the waiters that the free permits suffice for. A waiter that is not
-- subscribed keeps its entry, and those behind it are woken all the same, to learn for
-- how long. `free` need not be given.
local function wake_permits(name, queue, record_prefix, free)
  free = free or tonumber(redis.call('get', name) or 0)
  if free < 1 then return end
  for waiter in walk(queue, record_prefix) do
    if waiter.subscribed then
      if waiter.permits > free then return end
      free = free - waiter.permits
      wake(waiter.owner)
      if free < 1 then return end
    end
  end
end

-- Returns whether the free permits suffice for this owner and for all waiters ahead of
-- it, and whether it has an entry in the queue.
local function fits_behind(owner, wanted, free, queue, record_prefix)
  if free < wanted then return false end
  for waiter in walk(queue, record_prefix) do
    if waiter.owner == owner then return true, true end
    wanted = wanted + waiter.permits
    if wanted > free then return false end
  end
  return true, false
end

-- Returns whether a waiter has to ask: the permits may suffice, or a waiter ahead of it may
-- be dead.
local function may_fit(owner, wanted, free, queue, record)
  doubted = nil
  return fits_behind(owner, wanted, free, queue, string.sub(record, 1, -#owner - 1)) or doubted
end

-- Removes the entry of a claim that was granted, when so many permits are still free.
local function remove_granted(queue, owner, free)
  redis.call('zrem', queue, owner)
  if free > 0 then wake_behind(queue) end
end
