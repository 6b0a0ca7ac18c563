-- KEYS lock record queue channel fair_queue token
-- ARGV owner gone evict token_ttl
--
-- This is the first part of a drop. As a rule none of our clients waits when a lock is
-- released. Nothing else is to be done then, and the server need not even make the
-- functions that the second part uses.
local lock, record, queue, channel = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]

-- Wakes the peers that wait, and returns whether there may be any. They take a lock that
-- is free; nothing can be handed over to them.
local function wake_peers()
  local fair = redis.call('lindex', KEYS[5], '0')
  if fair then redis.call('publish', channel .. ':' .. fair, '0') end
  return redis.call('publish', channel, '00') > 0 or fair or peers_poll
end
local function first_waiter() return redis.call('zrange', queue, '0', '0')[1] end

local held = owns(lock, owner)
local peers, head
if held then
  redis.call('del', lock, record)
  peers, head = wake_peers(), first_waiter()
  if not head and ARGV[2] == '0' and ARGV[3] == '0' then return 1 end
end
