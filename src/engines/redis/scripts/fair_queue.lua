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
local function may_have_peers(last, last_time)
  return not is_ours(last) or not last_time or tonumber(last_time) % 1 ~= 0
end

local function move_time(timeouts, owner, by)
  return redis.call('zadd', timeouts, 'xx', 'incr', by, owner)
end

-- Moves the times of all waiters between this owner and the last one. If there are no
-- peers any more, the last waiter loses its mark.
local function move_times_behind(queue, timeouts, owner, last, last_time, by)
  local behind, peers = false, not is_ours(last)
  for _, each in ipairs(redis.call('lrange', queue, 0, -2)) do
    if behind then move_time(timeouts, each, by) end
    behind = behind or each == owner
    peers = peers or not is_ours(each)
  end
  if last_time and not peers then
    redis.call('zadd', timeouts, 'xx', digits(math.floor(last_time)), last)
  end
end

-- Removes a waiter from the queue; returns 0 if it was not there.
local function leave(queue, timeouts, owner, wait)
  local last = redis.call('zrem', timeouts, owner) == 1 and redis.call('lindex', queue, -1)
  if last and last ~= owner then
    local time = move_time(timeouts, last, -wait)
    if may_have_peers(last, time) then
      move_times_behind(queue, timeouts, owner, last, time, -wait)
    end
  end
  return redis.call('lrem', queue, 1, owner)
end

-- Puts a waiter of ours at the end of the queue. `step` is for how long peers wait for
-- one waiter of ours, and `left` how long the lock is held at most, in ms.
local function enter(queue, timeouts, owner, left, step, now)
  local last = redis.call('lindex', queue, -1)
  local last_time = last and redis.call('zscore', timeouts, last)
  local mixed = last and may_have_peers(last, last_time)
  local ahead = redis.call('rpush', queue, owner) - 1
  local time = now / 1000 + math.max(left, 0) + ahead * step
  if mixed and last_time then time = tonumber(last_time) end
  redis.call('zadd', timeouts, digits(time + step) .. (mixed and '.5' or ''), owner)
end

-- Peers remove a head whose time is over, even if it is one of ours. Each attempt of a
-- waiter therefore moves its time on, by as much as the waiters ahead of it may
-- subtract. From the head nothing is subtracted any more.
local function stay(queue, timeouts, owner, time, is_head, left, step, now)
  local least = now / 1000 + math.max(left, 0) + step
  if is_head then
    redis.call('zadd', timeouts, digits(least), owner)
    return
  end
  least = least + (redis.call('llen', queue) - 1) * step
  if tonumber(time) < least then
    local mark = tonumber(time) % 1 ~= 0 and '.5' or ''
    redis.call('zadd', timeouts, digits(least) .. mark, owner)
  end
end

-- Returns the first living waiter of the queue. A peer lives until its time is over.
local function fair_head(queue, timeouts, record_prefix, wait)
  while true do
    local head = redis.call('lindex', queue, 0)
    if not head then return nil end
    if is_ours(head) then
      if redis.call('exists', record_prefix .. head) == 1 then return head end
      leave(queue, timeouts, head, wait)
    else
      local until_ms = redis.call('zscore', timeouts, head)
      if not until_ms or tonumber(until_ms) > now_us() / 1000 then return head end
      redis.call('zrem', timeouts, head)
      redis.call('lpop', queue)
    end
  end
end

-- Wakes the first waiter whose client is subscribed; returns false if there is none. A
-- waiter of ours whose client is not subscribed keeps its entry for a while; the second
-- result says for how long, in ms.
local function wake_fair(queue, timeouts, channel, record_prefix, wait)
  local doubted
  if not fair_head(queue, timeouts, record_prefix, wait) then return false end
  for _, each in ipairs(redis.call('lrange', queue, 0, 99)) do
    if redis.call('publish', channel .. ':' .. each, '0') > 0 or not is_ours(each) then
      return true, doubted
    end
    local left = doubt(record_prefix .. each)
    doubted = math.min(doubted or left, left)
  end
  return false, doubted
end
