-- RLock is a hash with one field, whose name is the owner.
local function owns(lock, owner) return redis.call('hexists', lock, owner) == 1 end
local function take(lock, owner, lease)
  redis.call('hset', lock, owner, 1)
  redis.call('pexpire', lock, lease)
end
-- A hash with a field `mode` is an RReadWriteLock.
local function check_kind(lock)
  if redis.call('hexists', lock, 'mode') == 1 then
    error({ err = 'WRONGTYPE this name is a read-write lock' })
  end
end
local function holders(lock)
  check_kind(lock)
  return redis.call('hkeys', lock)
end
