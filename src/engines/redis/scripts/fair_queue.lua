-- SPDX-License-Identifier: Apache-2.0

-- RFairLock is a list of owners, and for each owner a time until which the others wait
-- for it. A peer removes a head whose time is over, and when a waiter is granted or
-- leaves, it subtracts `wait` from the times of those behind it.
--
-- A waiter of ours lives while it has a record, however long it waits: its time is for
-- peers alone and may be later than a peer would make it. So if there is no peer in the
-- queue, only the last time is moved, from which a peer that comes next computes its
-- own, and a grant costs the same however many wait.
--
-- That there is no peer is known without a walk. A waiter of ours that comes behind a
-- peer gets a time with half a millisecond, its mark, and so does one that comes behind
-- a marked waiter. If the last waiter is ours and has no mark, all waiters are ours.
local function has_mark(time) return tonumber(time) % 1 ~= 0 end
local function spell_time(ms, mark) return digits(ms) .. (mark and '.5' or '') end
local function may_have_peers(last, last_time)
  return not is_ours(last) or not last_time or has_mark(last_time)
end

local function move_time(each)
  return redis.call('zadd', timeouts, 'xx', 'incr', -wait, each)
end

-- Moves the times of all waiters between `leaver` and the last one. If there are no peers
-- any more, the last waiter loses its mark.
local function move_times_behind(leaver, last, last_time)
  local behind, peers = false, not is_ours(last)
  for _, each in ipairs(redis.call('lrange', queue, 0, -2)) do
    if behind then move_time(each) end
    behind = behind or each == leaver
    peers = peers or not is_ours(each)
  end
  if last_time and not peers then
    redis.call('zadd', timeouts, 'xx', spell_time(math.floor(last_time)), last)
  end
end

-- Removes a waiter from the queue; returns 0 if it was not there.
local function leave(leaver)
  local last = redis.call('zrem', timeouts, leaver) == 1 and redis.call('lindex', queue, -1)
  if last and last ~= leaver then
    local time = move_time(last)
    if may_have_peers(last, time) then move_times_behind(leaver, last, time) end
  end
  return redis.call('lrem', queue, 1, leaver)
end

-- Returns the first living waiter of the queue, and its record if it is ours. A peer
-- lives until its time is over.
local function fair_head()
  while true do
    local head = redis.call('lindex', queue, 0)
    if not head then return nil end
    if is_ours(head) then
      local was = redis.call('get', record_prefix .. head)
      if was and string.sub(was, 1, 1) == 'w' then return head, was end
      leave(head)
    else
      local until_ms = redis.call('zscore', timeouts, head)
      if not until_ms or tonumber(until_ms) > now_us() / 1000 then return head end
      redis.call('zrem', timeouts, head)
      redis.call('lpop', queue)
    end
  end
end

-- Hands the free lock over to the first waiter, or wakes it if it is a peer's; returns
-- false if there is none. A waiter of ours whose client is not subscribed keeps its entry
-- for a while. The next one that is subscribed is then woken, to learn for how long: the
-- second result, in ms.
local function pass_on_fair(token_ttl)
  local head, was = fair_head()
  if not head then return false end
  if hand_over(lock, head, record_prefix .. head, was, token_key, token_ttl) then
    leave(head)
    return true
  end
  local doubted
  for _, each in ipairs(redis.call('lrange', queue, 0, 99)) do
    if not is_ours(each) then publish(channel .. ':' .. each, '0') end
    if not is_ours(each) or wake(each) then return true, doubted end
    local left = doubt(record_prefix .. each)
    doubted = math.min(doubted or left, left)
  end
  return false, doubted
end
