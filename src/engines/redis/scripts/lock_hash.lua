-- SPDX-License-Identifier: Apache-2.0

-- RLock is a hash with one field, whose name is the owner.
local function owns(lock, owner) return redis.call('hexists', lock, owner) == 1 end
local function take(lock, owner, lease)
  redis.call('hset', lock, owner, '1')
  redis.call('pexpire', lock, lease)
end
local function first_holder(lock) return redis.call('hkeys', lock)[1] end
-- A hash with a field `mode` is an RReadWriteLock.
local function holders(lock)
  local fields = redis.call('hkeys', lock)
  for _, field in ipairs(fields) do
    if field == 'mode' then error({ err = 'WRONGTYPE this name is a read-write lock' }) end
  end
  return fields
end
-- Peers that wait subscribe to the lock's channel.
local peers_poll = false
