-- SPDX-License-Identifier: Apache-2.0

-- RReadWriteLock is a hash with `mode` and a field for each owner; every reader has a
-- key of its own whose TTL is that reader's lease. Nothing else may be in the hash.
-- `left` is the lock's PTTL. The mode of a free lock is nil.
local function mode_of(lock, left)
  if left == -2 then return nil end
  return redis.call('hget', lock, 'mode') or
    error({ err = 'WRONGTYPE this name is a lock without readers' })
end
local function field_of(owner, mode) return mode == 'w' and owner .. ':write' or owner end

-- Tells peers that readers may enter. Redisson drops a `1` when its reader is
-- subscribed but does not sleep yet; it keeps a `0`.
local function tell_readers()
  if publish(channel, '01') > 0 then publish(channel, '00') end
end

-- Wakes the next waiters, now that the lock is in `mode` (nil means free): one writer
-- alone, or the readers before the next writer. A waiter that is not subscribed keeps
-- its waiter, and those behind it are woken all the same, to learn for how long.
local function wake_shared(queue, record_prefix, mode)
  if mode == 'write' then return end
  local woken = false
  for waiter in walk(queue, record_prefix) do
    if waiter.subscribed then
      if waiter.mode == 'w' and (woken or mode) then return end
      wake(waiter.owner)
      woken = true
      if waiter.mode == 'w' then return end
    end
  end
end

-- Returns whether this owner would overtake a waiter, and whether it has an entry in the
-- queue.
local function overtakes(owner, wanted, queue, record_prefix)
  for waiter in walk(queue, record_prefix) do
    if waiter.owner == owner then return false, true end
    if waiter.mode == 'w' or wanted == 'w' then return true, false end
  end
  return false, false
end
