-- SPDX-License-Identifier: Apache-2.0

-- The attempt that completes the parties admits all of them. Where there seem to be
-- enough of them, some are dead, which the next attempt finds out.
return keep_all(function(owner, _, parties, record, capacity)
  local state = redis.call('hget', parties, owner)
  if state ~= 'w' or redis.call('getrange', record, 0, 0) ~= 'w' then return 0 end
  if redis.call('hlen', parties) >= tonumber(capacity) then return 0 end
  redis.call('pexpire', record, alive)
  if redis.call('pttl', parties) < 4 * alive then redis.call('pexpire', parties, 4 * alive) end
  return -1
end)
