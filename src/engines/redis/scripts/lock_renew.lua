-- SPDX-License-Identifier: Apache-2.0

-- The keys of a claim: lock [record]
return renew_all(function(owner, lease, _, lock, record)
  local read, mine = pcall(owns, lock, owner)
  if not read or not mine then return false end
  if redis.call('pttl', lock) < lease then
    redis.call('pexpire', lock, lease)
    if record then redis.call('pexpire', record, lease) end
  end
  return true
end)
