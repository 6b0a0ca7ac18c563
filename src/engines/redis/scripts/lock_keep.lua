-- SPDX-License-Identifier: Apache-2.0

-- A waiter listens if it hears the releases of peers.
return keep_all(function(owner, listens, lock, record, queue)
  local state = string.lower(redis.call('getrange', record, 0, 0))
  if state ~= 'w' or not redis.call('zscore', queue, owner) then return 0 end
  local held = holders(lock)
  if #held == 0 then return 0 end
  for _, holder in ipairs(held) do
    if holder == owner or not (listens == '1' or is_ours(holder)) then return 0 end
  end
  extend(record, queue)
  return redis.call('pttl', lock)
end)
