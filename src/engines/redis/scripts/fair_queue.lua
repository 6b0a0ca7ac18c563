-- RFairLock: a list of owners, and for each a time until which the others wait for him.
-- A peer takes `wait` off every one of them when the head goes in or somebody leaves,
-- so ours are made and moved in the same way.
local function is_ours(owner) return string.find(owner, ':h%d+$') end

local function leave(queue, timeouts, owner, wait)
  local behind = false
  for _, each in ipairs(redis.call('lrange', queue, 0, -1)) do
    if behind then redis.call('zincrby', timeouts, -wait, each) end
    behind = behind or each == owner
  end
  redis.call('zrem', timeouts, owner)
  return redis.call('lrem', queue, 0, owner)
end

-- The first in line who is alive.
local function fair_head(queue, timeouts, record_prefix, wait, now)
  while true do
    local head = redis.call('lindex', queue, 0)
    if not head then return nil end
    local until_ms = redis.call('zscore', timeouts, head)
    if until_ms and tonumber(until_ms) <= now / 1000 then
      redis.call('zrem', timeouts, head)
      redis.call('lpop', queue)
    elseif is_ours(head) and redis.call('exists', record_prefix .. head) == 0 then
      leave(queue, timeouts, head, wait)
    else
      return head
    end
  end
end

-- Rings whoever is first, passing over those of us whom nobody hears.
local function ring_fair(queue, timeouts, channel, record_prefix, wait, now)
  while true do
    local head = fair_head(queue, timeouts, record_prefix, wait, now)
    if not head then return false end
    if redis.call('publish', channel .. ':' .. head, '0') > 0 or not is_ours(head) then
      return true
    end
    leave(queue, timeouts, head, wait)
  end
end
