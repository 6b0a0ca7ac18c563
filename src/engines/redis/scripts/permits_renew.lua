-- SPDX-License-Identifier: Apache-2.0

-- The keys of a claim: permit_timeouts [record]
local now = now_us() / 1000
return renew_all(function(owner, lease, permits, timeouts, record)
  if record then redis.call('pexpire', record, lease) end
  local read, ends = pcall(end_of_permits, timeouts, owner)
  return read and ends and ends > now and
    extend_permits(timeouts, owner, tonumber(permits), now + lease)
end)
