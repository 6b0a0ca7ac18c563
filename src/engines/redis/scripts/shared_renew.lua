-- SPDX-License-Identifier: Apache-2.0

-- KEYS (lock [record reader_timeout])*   ARGV (owner lease permits)*
-- A reader whose own lease is over has lost the lock, even if other readers keep it.
local alive, keys = {}, 3 * #KEYS / #ARGV
for i = 1, #ARGV / 3 do
  local lock, alone = KEYS[keys * (i - 1) + 1], keys == 1
  local record, timeout = KEYS[keys * i - 1], KEYS[keys * i]
  local owner, lease = ARGV[3 * i - 2], tonumber(ARGV[3 * i - 1])
  local read, renewed = pcall(function()
    if redis.call('hexists', lock, owner .. ':write') == 0 then
      if redis.call('hexists', lock, owner) == 0 then return false end
      if not alone and redis.call('pexpire', timeout, lease) == 0 then return false end
    end
    if redis.call('pttl', lock) < lease then redis.call('pexpire', lock, lease) end
    if not alone then redis.call('pexpire', record, lease) end
    return true
  end)
  alive[i] = (read and renewed) and 1 or 0
end
return alive
