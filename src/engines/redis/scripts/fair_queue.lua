-- RFairLock is a list of owners, and for each owner a time until which the others wait
-- for it. A peer subtracts `wait` from all later times when the head is granted or a
-- waiter leaves, so our scripts make and move the times in the same way.
local function leave(queue, timeouts, owner, wait)
  local all = redis.call('lrange', queue, 0, -1)
  redis.call('zrem', timeouts, owner)
  local left = redis.call('lrem', queue, 0, owner)
  local behind = false
  for _, each in ipairs(all) do
    if behind then redis.call('zincrby', timeouts, -wait, each) end
    behind = behind or each == owner
  end
  return left
end

-- Returns the first living waiter of the queue. A peer lives until its time is over;
-- one of our waiters lives while it has a record, which its attempts renew, however
-- long it waits.
local function fair_head(queue, timeouts, record_prefix, wait, now)
  while true do
    local head = redis.call('lindex', queue, 0)
    if not head then return nil end
    if is_ours(head) then
      if redis.call('exists', record_prefix .. head) == 1 then return head end
      leave(queue, timeouts, head, wait)
    else
      local until_ms = redis.call('zscore', timeouts, head)
      if not until_ms or tonumber(until_ms) > now / 1000 then return head end
      redis.call('zrem', timeouts, head)
      redis.call('lpop', queue)
    end
  end
end

-- Peers remove a head whose time is over, even if it is one of ours. Each attempt of a
-- waiter therefore moves its time on, by as much as the waiters ahead of it will
-- subtract.
local function stay_in_line(timeouts, owner, wait, alive, now)
  local score, ahead = redis.call('zscore', timeouts, owner), redis.call('zrank', timeouts, owner)
  local least = now / 1000 + (ahead + 1) * math.max(wait, alive)
  if tonumber(score) < least then redis.call('zadd', timeouts, digits(least), owner) end
end

-- Wakes the first waiter whose client is subscribed; returns false if there is none. A
-- waiter of ours whose client is not subscribed keeps its entry for a while; the second
-- result says for how long, in ms.
local function wake_fair(queue, timeouts, channel, record_prefix, wait, now)
  local doubted
  if not fair_head(queue, timeouts, record_prefix, wait, now) then return false end
  for _, each in ipairs(redis.call('lrange', queue, 0, 99)) do
    if redis.call('publish', channel .. ':' .. each, '0') > 0 or not is_ours(each) then
      return true, doubted
    end
    local left = doubt(record_prefix .. each)
    doubted = math.min(doubted or left, left)
  end
  return false, doubted
end
