-- SPDX-License-Identifier: Apache-2.0

-- KEYS (permit_timeouts [record])*   ARGV (owner lease permits)*
local alive, keys = {}, 3 * #KEYS / #ARGV
local now = now_us() / 1000
for i = 1, #ARGV / 3 do
  local timeouts, record = KEYS[keys * (i - 1) + 1], keys > 1 and KEYS[keys * i]
  local owner, lease, held = ARGV[3 * i - 2], tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  if record then redis.call('pexpire', record, lease) end
  local read, renewed = pcall(function()
    local ends = end_of_permits(timeouts, owner)
    return ends and ends > now and extend_permits(timeouts, owner, held, now + lease)
  end)
  alive[i] = (read and renewed) and 1 or 0
end
return alive
