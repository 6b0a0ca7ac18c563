-- SPDX-License-Identifier: Apache-2.0

-- KEYS parties record
-- ARGV owner lease tokens details token_ttl alive arrival capacity record_prefix
--   channels
-- A double barrier is a hash of owners, each `w` waiting or `g` inside; an owner
-- without a record is dead. When the last party arrives, all waiters are inside at
-- once, and a later attempt of one of them is granted.
local parties, record = KEYS[1], KEYS[2]
local owner, lease, details, alive = ARGV[1], tonumber(ARGV[2]), ARGV[4], tonumber(ARGV[6])
local arrival, capacity, prefix = tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9]
local now = now_us()

local mine = redis.call('hget', parties, owner)
if redis.call('get', record) == 'x' then return { -1 } end
local function lives(each)
  if redis.call('exists', prefix .. each) == 1 then return true end
  redis.call('hdel', parties, each)
  return false
end
local waiting, inside = {}, mine == 'g'
local all = redis.call('hgetall', parties)
for i = 1, #all, 2 do
  local each, state = all[i], all[i + 1]
  if each ~= owner and state ~= 'g' then
    waiting[#waiting + 1] = each
  elseif each ~= owner and not inside then
    inside = lives(each)
  end
end

-- The waiters are only checked when there are enough of them, and are then woken to
-- enter. A waiter whose client is not subscribed is dead and does not count.
local function all_here()
  if not inside and #waiting + 1 < capacity then return false end
  local here = {}
  for _, each in ipairs(waiting) do
    if lives(each) and wake(each) then
      here[#here + 1] = each
    else
      redis.call('hdel', parties, each)
    end
  end
  waiting = here
  return inside or #waiting + 1 >= capacity
end

if all_here() then
  for _, each in ipairs(waiting) do redis.call('hset', parties, each, 'g') end
  redis.call('hset', parties, owner, 'g')
  redis.call('set', record, granted_record('0', 1, now, details), 'px', lease)
  if redis.call('pttl', parties) < 2 * lease then redis.call('pexpire', parties, 2 * lease) end
  publish(channel, '1')
  return { 1, '0', 1 }
end

if arrival == 0 then arrival = now end
if alive > 0 then
  redis.call('hset', parties, owner, 'w')
  redis.call('set', record, waiting_record(arrival, details), 'px', alive)
  if redis.call('pttl', parties) < 4 * alive then redis.call('pexpire', parties, 4 * alive) end
end
return { 0, '-1', digits(arrival) }
