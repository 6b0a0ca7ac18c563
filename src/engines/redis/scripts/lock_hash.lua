-- RLock is a hash with one field, whose name is the owner.
local function owns(lock, owner) return redis.call('hexists', lock, owner) == 1 end
local function take(lock, owner, lease)
  redis.call('hset', lock, owner, '1')
  redis.call('pexpire', lock, lease)
end
-- A hash with a field `mode` is an RReadWriteLock.
local function refuse_kind() error({ err = 'WRONGTYPE this name is a read-write lock' }) end
local function check_kind(lock)
  if redis.call('hexists', lock, 'mode') == 1 then refuse_kind() end
end
local function first_holder(lock) return redis.call('hkeys', lock)[1] end
local function holders(lock)
  local fields = redis.call('hkeys', lock)
  for _, field in ipairs(fields) do
    if field == 'mode' then refuse_kind() end
  end
  return fields
end
-- Peers that wait subscribe to the lock's channel.
local peers_poll = false
