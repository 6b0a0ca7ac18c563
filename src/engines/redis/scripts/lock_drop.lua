-- KEYS lock record queue channel fair_queue token
-- ARGV owner gone evict token_ttl
local lock, record, queue, channel, token_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[6]
local owner, gone = ARGV[1], tonumber(ARGV[2])
local token_ttl, prefix = tonumber(ARGV[4]), string.sub(record, 1, -#owner - 1)

-- Wakes the peers that wait, and returns whether there may be any. They take a lock that
-- is free; nothing can be handed over to them.
local function wake_peers()
  local fair = redis.call('lindex', KEYS[5], 0)
  if fair then redis.call('publish', channel .. ':' .. fair, '0') end
  return redis.call('publish', channel, '00') > 0 or fair or peers_poll
end

-- Hands the free lock over to the first of our waiters that lives. Beside peers, the
-- waiter is first woken to compete with them, and is handed the lock the next time: so
-- neither they nor it lose for ever. A waiter is not woken twice, because its process may
-- be stopped.
local function pass_on()
  local peers = wake_peers()
  for _ = 1, 100 do
    local head = redis.call('zrange', queue, 0, 0)[1]
    if not head then return end
    local was = redis.call('get', prefix .. head)
    if peers and is_waiting(was) and wake(head) then
      redis.call('setrange', prefix .. head, 0, 'W')
      return
    end
    redis.call('zrem', queue, head)
    if hand_over(lock, head, prefix .. head, was, token_key, token_ttl) then return end
  end
end

-- The first waiter listens to a peer that holds the lock. When it leaves, the next one has
-- to learn that there is such a holder.
local function wake_behind_peer(holder)
  local head = not is_ours(holder) and redis.call('zrange', queue, 0, 0)[1]
  if head then wake(head) end
end

local dropped = 0
if owns(lock, owner) then
  redis.call('del', lock, record)
  pass_on()
  dropped = 1
else
  local was = redis.call('get', record)
  redis.call('zrem', queue, owner)
  if was and was ~= 'x' then
    redis.call('del', record)
    if is_waiting(was) or is_woken(was) then dropped = 1 end
  end
  local holder = first_holder(lock)
  if holder then wake_behind_peer(holder) else pass_on() end
end
if gone > 0 then redis.call('set', record, 'x', 'px', gone) end
if dropped == 1 and ARGV[3] == '1' then alarm(owner) end
return dropped
