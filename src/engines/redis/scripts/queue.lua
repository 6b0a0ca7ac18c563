-- SPDX-License-Identifier: Apache-2.0

-- This is the queue of our own waiters.
--
-- The cost of one attempt does not grow with their number: a walk ends after the first
-- `front` waiters that are subscribed, and a waiter further back is woken when it has
-- come to the front.
local front, chunk, longest_walk = 64, 16, 1024

-- This is the time in ms after which a waiter that is not subscribed is dead; nil means
-- that all waiters seen so far are subscribed.
local doubted

local function channel_of(owner)
  return session_prefix .. (string.match(owner, '^(.*):h%d+$') or '')
end
local numsub = publish_command == 'SPUBLISH' and 'SHARDNUMSUB' or 'NUMSUB'

-- Returns the permits and the mode that a record says its owner waits for, or nil.
local function waits_for(record)
  local permits, mode = string.match(record or '', '^w|%d+|%d+|%d+|(%d+)|(%a)|')
  return tonumber(permits), mode
end

-- Returns the same of an owner that has an entry in the queue.
local function entry_of(owner, queue, record)
  if redis.call('zscore', queue, owner) then return waits_for(redis.call('get', record)) end
end

-- Returns {owner, permits, mode, subscribed} for each living owner of these. A dead one is
-- removed from the queue; one that is not subscribed is in doubt from now on.
local function look_at(owners, queue, record_prefix)
  local records, channels = {}, {}
  for i, owner in ipairs(owners) do records[i] = record_prefix .. owner end
  local found, living = redis.call('mget', unpack(records)), {}
  for i, owner in ipairs(owners) do
    local permits, mode = waits_for(found[i])
    if permits then
      living[#living + 1] = { owner = owner, permits = permits, mode = mode }
      channels[#channels + 1] = channel_of(owner)
    else
      redis.call('zrem', queue, owner)
    end
  end
  local subscribers = #channels > 0 and redis.call('pubsub', numsub, unpack(channels)) or {}
  for i, waiter in ipairs(living) do
    waiter.subscribed = subscribers[2 * i] > 0
    if not waiter.subscribed then
      local left = doubt(record_prefix .. waiter.owner)
      doubted = math.min(doubted or left, left)
    end
  end
  return living
end

-- Iterates over the waiters in order: for waiter in walk(queue, record_prefix) do. If
-- there are more than the walk may visit, the last waiter is a made-up one that blocks
-- every claim behind it.
local function walk(queue, record_prefix)
  local at, seen, subscribed, ended = 0, 0, 0, false
  local living, first = {}, 1
  return function()
    while not living[first] do
      if ended then return nil end
      local owners = redis.call('zrange', queue, at, at + chunk - 1)
      if #owners == 0 then return nil end
      if subscribed >= front or seen >= longest_walk then
        ended = true
        return { owner = '', permits = math.huge, mode = 'w', subscribed = true }
      end
      living, first = look_at(owners, queue, record_prefix), 1
      at, seen = at + #living, seen + #owners
    end
    local waiter = living[first]
    first = first + 1
    if waiter.subscribed then subscribed = subscribed + 1 end
    return waiter
  end
end

-- Wakes the waiter that came to the front when one ahead of it was granted.
local function wake_behind(queue)
  local behind = redis.call('zrange', queue, front - 1, front - 1)
  if behind[1] then wake(behind[1]) end
end

-- Keeps an entry in the queue, as long as its waiter attempts again.
local function keep_entry(queue, record, owner, arrival, details, alive)
  redis.call('zadd', queue, 'nx', digits(arrival), owner)
  redis.call('pexpire', queue, alive * 4)
  redis.call('set', record, waiting_record(arrival, details), 'px', alive)
end
