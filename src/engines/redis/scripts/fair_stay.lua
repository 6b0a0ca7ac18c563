-- SPDX-License-Identifier: Apache-2.0

-- Peers remove a head whose time is over, even if it is one of ours. Each attempt of a
-- waiter, and whatever keeps its entry, therefore moves its time on, at least to when its
-- entry would end, and by as much as the waiters ahead of it may subtract. From the head
-- nothing is subtracted any more. Returns whether a peer may be ahead.
local function stay(owner, time, head, lease_end, alive)
  local mark = head ~= owner and has_mark(time)
  local step = math.max(wait, alive)
  local least = lease_end + step
  if head ~= owner then least = least + (redis.call('llen', queue) - 1) * step end
  if head == owner or tonumber(time) < least then
    redis.call('zadd', timeouts, spell_time(least, mark), owner)
  end
  return mark
end
