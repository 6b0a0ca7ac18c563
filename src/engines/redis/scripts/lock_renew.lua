-- SPDX-License-Identifier: Apache-2.0

-- KEYS (lock [record])*   ARGV (owner lease permits)*
local alive, keys = {}, 3 * #KEYS / #ARGV
for i = 1, #ARGV / 3 do
  local lock, record = KEYS[keys * (i - 1) + 1], keys > 1 and KEYS[keys * i]
  local owner, lease = ARGV[3 * i - 2], tonumber(ARGV[3 * i - 1])
  local read, mine = pcall(owns, lock, owner)
  if read and mine and redis.call('pttl', lock) < lease then
    redis.call('pexpire', lock, lease)
    if record then redis.call('pexpire', record, lease) end
  end
  alive[i] = (read and mine) and 1 or 0
end
return alive
