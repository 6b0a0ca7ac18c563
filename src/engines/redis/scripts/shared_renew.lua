-- SPDX-License-Identifier: Apache-2.0

-- The keys of a claim: lock [record reader_timeout]
-- A reader whose own lease is over has lost the lock, even if other readers keep it.
return renew_all(function(owner, lease, _, lock, record, timeout)
  local read, writes, reads = pcall(function()
    return redis.call('hexists', lock, owner .. ':write') == 1,
      redis.call('hexists', lock, owner) == 1
  end)
  if not read or not (writes or reads) then return false end
  if not writes and timeout and redis.call('pexpire', timeout, lease) == 0 then return false end
  if redis.call('pttl', lock) < lease then redis.call('pexpire', lock, lease) end
  if record then redis.call('pexpire', record, lease) end
  return true
end)
