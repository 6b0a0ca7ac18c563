-- This is the queue of our own waiters.
--
-- The cost of one attempt does not grow with their number: a walk ends after the first
-- `front` waiters that are subscribed, and a waiter further back is woken when it has
-- come to the front.
local front, chunk, longest_walk = 64, 16, 1024

-- This is the time in ms after which a waiter that is not subscribed is dead; nil means
-- that all waiters seen so far are subscribed.
local doubted

local function bell_of(owner)
  return 'holdfast_bell:' .. (string.match(owner, '^(.*):h%d+$') or '')
end

-- Returns {owner, permits, mode, hears} for each living owner of these. A dead one is
-- removed from the queue; one that is not subscribed is in doubt from now on.
local function look_at(owners, queue, record_prefix)
  local records, bells = {}, {}
  for i, owner in ipairs(owners) do records[i] = record_prefix .. owner end
  local found, living = redis.call('mget', unpack(records)), {}
  for i, owner in ipairs(owners) do
    local permits, mode = string.match(found[i] or '', '^w|%d+|%d+|%d+|(%d+)|(%a)|')
    if permits then
      living[#living + 1] = { owner = owner, permits = tonumber(permits), mode = mode }
      bells[#bells + 1] = bell_of(owner)
    else
      redis.call('zrem', queue, owner)
    end
  end
  local listeners = #bells > 0 and redis.call('pubsub', 'numsub', unpack(bells)) or {}
  for i, place in ipairs(living) do
    place.hears = listeners[2 * i] > 0
    if not place.hears then
      local left = doubt(record_prefix .. place.owner)
      doubted = math.min(doubted or left, left)
    end
  end
  return living
end

-- Iterates over the waiters in order: for place in walk(queue, record_prefix) do. If
-- there are more than the walk may visit, the last place is a made-up one that blocks
-- every claim behind it.
local function walk(queue, record_prefix)
  local at, seen, hearing, ended = 0, 0, 0, false
  local living, first = {}, 1
  return function()
    while not living[first] do
      if ended then return nil end
      local owners = redis.call('zrange', queue, at, at + chunk - 1)
      if #owners == 0 then return nil end
      if hearing >= front or seen >= longest_walk then
        ended = true
        return { owner = '', permits = math.huge, mode = 'w', hears = true }
      end
      living, first = look_at(owners, queue, record_prefix), 1
      at, seen = at + #living, seen + #owners
    end
    local place = living[first]
    first = first + 1
    if place.hears then hearing = hearing + 1 end
    return place
  end
end

-- Wakes the waiter that came to the front when one ahead of it was granted.
local function ring_behind(queue)
  local behind = redis.call('zrange', queue, front - 1, front - 1)
  if behind[1] then ring(behind[1]) end
end

-- Keeps a place in the queue, as long as its waiter attempts again.
local function keep_place(queue, record, owner, arrival, facts, alive)
  redis.call('zadd', queue, 'nx', digits(arrival), owner)
  redis.call('pexpire', queue, alive * 4)
  redis.call('set', record, waiting_record(arrival, facts), 'px', alive)
end
