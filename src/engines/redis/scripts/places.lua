-- The places of those of us who wait.
--
-- What one attempt may cost does not grow with their number: a walk ends behind the
-- first `front` that are heard, and who stands further back waits until rung.
local front, chunk, longest_walk = 64, 16, 1024

-- When to look again at a place that nobody hears, in ms; nil: all of them are heard.
local doubted

local function bell_of(owner)
  return 'holdfast_bell:' .. (string.match(owner, '^(.*):h%d+$') or '')
end

-- The living among these owners: {owner, permits, mode, heard} for each. The dead are
-- taken out of the queue, and nobody waits for the unheard for long.
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
  local heard = #bells > 0 and redis.call('pubsub', 'numsub', unpack(bells)) or {}
  for i, place in ipairs(living) do
    place.heard = heard[2 * i] > 0
    if not place.heard then
      local left = doubt(record_prefix .. place.owner)
      doubted = math.min(doubted or left, left)
    end
  end
  return living
end

-- for place in walk(queue, record_prefix) do: those who wait, in order. If there are
-- more than it looks at, the last one is nobody's, and nothing fits past it.
local function walk(queue, record_prefix)
  local at, seen, heard, ended = 0, 0, 0, false
  local living, first = {}, 1
  return function()
    while not living[first] do
      if ended then return nil end
      local owners = redis.call('zrange', queue, at, at + chunk - 1)
      if #owners == 0 then return nil end
      if heard >= front or seen >= longest_walk then
        ended = true
        return { owner = '', permits = math.huge, mode = 'w', heard = true }
      end
      living, first = look_at(owners, queue, record_prefix), 1
      at, seen = at + #living, seen + #owners
    end
    local place = living[first]
    first = first + 1
    if place.heard then heard = heard + 1 end
    return place
  end
end

-- Rings whoever came to the front when one in front of it went in.
local function ring_behind(queue)
  local behind = redis.call('zrange', queue, front - 1, front - 1)
  if behind[1] then ring(behind[1]) end
end

-- Keeps a place in line while it is asked for.
local function keep_place(queue, record, owner, arrival, facts, alive)
  redis.call('zadd', queue, 'nx', digits(arrival), owner)
  redis.call('pexpire', queue, alive * 4)
  redis.call('set', record, waiting_record(arrival, facts), 'px', alive)
end
