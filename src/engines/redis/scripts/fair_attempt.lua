-- SPDX-License-Identifier: Apache-2.0

-- This is the second part of an attempt, after fair_take.
local alive, arrival, foreign = tonumber(ARGV[6]), tonumber(ARGV[7]), false
for _, holder in ipairs(held) do
  if holder == owner then return same_grant(lock, record, tonumber(lease)) or grant() end
  foreign = foreign or not is_ours(holder)
end

local was, now, doubted = redis.call('get', record), now_us(), nil
if was == 'x' then return { -1 } end
if arrival == 0 then arrival = now end
if alive > 0 then
  redis.call('set', record, waiting_record(arrival, details, lease, tokens), 'px', alive)
end
local head = fair_head()
if #held == 0 then
  if not head or head == owner then
    local granted = grant()
    if head then leave(owner) end
    return granted
  end
  local _, left = pass_on_fair(token_ttl)
  doubted = left
end

local left = redis.call('pttl', lock)
local lease_end = now / 1000 + math.max(left, 0)

-- Takes an entry at the end of the queue if the claim waits. Returns whether a peer may
-- be ahead.
local function enter()
  local last = redis.call('lindex', queue, -1)
  local last_time = last and redis.call('zscore', timeouts, last)
  local mark = last and may_have_peers(last, last_time)
  if alive == 0 then return mark end
  if was then redis.call('lrem', queue, 1, owner) end
  local ahead = redis.call('rpush', queue, owner) - 1
  local time = mark and last_time and tonumber(last_time) or lease_end + ahead * wait
  redis.call('zadd', timeouts, spell_time(time + wait, mark), owner)
  return mark
end

-- A peer that is ahead releases on the waiter's own channel, as a peer that holds does.
local time = alive > 0 and redis.call('zscore', timeouts, owner)
local behind_peer
if time then
  behind_peer = stay(owner, time, head, lease_end, alive)
else
  behind_peer = enter()
end
return { 0, doubted or left, digits(arrival), digits(now), (foreign or behind_peer) and 1 or 0 }
