-- SPDX-License-Identifier: Apache-2.0

-- KEYS (parties [record])*   ARGV (owner lease permits)*
local alive, keys = {}, 3 * #KEYS / #ARGV
for i = 1, #ARGV / 3 do
  local parties, record = KEYS[keys * (i - 1) + 1], keys > 1 and KEYS[keys * i]
  local owner, lease = ARGV[3 * i - 2], tonumber(ARGV[3 * i - 1])
  alive[i] = 0
  if redis.pcall('hget', parties, owner) == 'g' and
      (not record or redis.call('pexpire', record, lease) == 1) then
    if redis.call('pttl', parties) < 2 * lease then
      redis.call('pexpire', parties, 2 * lease)
    end
    alive[i] = 1
  end
end
return alive
