-- SPDX-License-Identifier: Apache-2.0

-- This is the second part of a drop, after lock_release.
local token_key, token_ttl = KEYS[5], tonumber(ARGV[4])
local prefix = string.sub(record, 1, -#owner - 1)

-- Hands the free lock over to the first of our waiters that lives. Peers take a lock that
-- is free; nothing can be handed over to them. Beside peers, the waiter is therefore first
-- woken to compete with them, and is handed the lock the next time: so neither they nor it
-- lose for ever. A waiter is not woken twice, because its process may be stopped.
local function pass_on()
  if fair and not wake(fair) then publish(channel .. ':' .. fair, '0') end
  local peers = subscribed or fair or peers_poll
  for _ = 1, 100 do
    if not head then return end
    local was = redis.call('get', prefix .. head)
    if peers and was and string.sub(was, 1, 1) == 'w' and wake(head) then
      redis.call('setrange', prefix .. head, '0', 'W')
      return
    end
    redis.call('zrem', queue, head)
    if hand_over(lock, head, prefix .. head, was, token_key, token_ttl) then return end
    head = first_waiter()
  end
end

-- The first waiter listens to a peer that holds the lock. When it leaves, the next one has
-- to learn that there is such a holder.
local function wake_behind(holder)
  local next_waiter = not is_ours(holder) and first_waiter()
  if next_waiter then wake(next_waiter) end
end

local dropped = 0
if held then
  pass_on()
  dropped = 1
else
  local was = redis.call('get', record)
  redis.call('zrem', queue, owner)
  if was and was ~= 'x' then
    redis.call('del', record)
    if string.lower(string.sub(was, 1, 1)) == 'w' then dropped = 1 end
  end
  local holder = first_holder(lock)
  if holder then
    wake_behind(holder)
  else
    publish_release()
    pass_on()
  end
end
return end_drop(owner, record, dropped)
