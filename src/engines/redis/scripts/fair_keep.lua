-- SPDX-License-Identifier: Apache-2.0

-- A waiter listens if it hears the releases of peers. It is the first living waiter that
-- has to know when the lock may become free without a release.
return keep_all(function(owner, listens, lock, record, ...)
  queue, timeouts, wait = ...
  wait, record_prefix = tonumber(wait), string.sub(record, 1, -#owner - 1)
  local held, foreign = holders(lock), false
  if #held == 0 or redis.call('getrange', record, 0, 0) ~= 'w' then return 0 end
  for _, holder in ipairs(held) do
    if holder == owner then return 0 end
    foreign = foreign or not is_ours(holder)
  end
  redis.call('pexpire', record, alive)
  local head, left = fair_head(), redis.call('pttl', lock)
  local time = redis.call('zscore', timeouts, owner)
  if not time then return 0 end
  local behind_peer = stay(owner, time, head, now_us() / 1000 + math.max(left, 0), alive)
  if (foreign or behind_peer) and listens ~= '1' then return 0 end
  return head == owner and left or -1
end)
