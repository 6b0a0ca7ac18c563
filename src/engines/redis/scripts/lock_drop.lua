-- KEYS lock record queue channel fair_queue
-- ARGV owner gone evict
local lock, record, queue, channel = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner, gone = ARGV[1], tonumber(ARGV[2])

-- A waiter that is woken loses its entry. If it finds the lock taken, it comes back
-- with its time of arrival; if its process is stopped, it wastes one wake-up and not
-- every one.
local function wake_next()
  for _ = 1, 100 do
    local head = redis.call('zpopmin', queue)
    if not head[1] or wake(head[1]) then return end
  end
end

local dropped = 0
local held = owns(lock, owner)
if held then
  redis.call('del', lock, record)
  redis.call('publish', channel, '00')
  local fair = redis.call('lindex', KEYS[5], 0)
  if fair then redis.call('publish', channel .. ':' .. fair, '0') end
  wake_next()
  dropped = 1
else
  local was = redis.call('get', record)
  redis.call('zrem', queue, owner)
  if was and was ~= 'x' then
    redis.call('del', record)
    if string.sub(was, 1, 1) == 'w' then dropped = 1 end
  end
  if redis.call('exists', lock) == 0 then wake_next() end
end
if gone > 0 then redis.call('set', record, 'x', 'px', gone) end
if dropped == 1 and ARGV[3] == '1' then alarm(owner) end
return dropped
