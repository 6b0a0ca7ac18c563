-- KEYS (lock record)*   ARGV (owner lease permits)*
local alive = {}
for i = 1, #KEYS / 2 do
  local lock, record = KEYS[2 * i - 1], KEYS[2 * i]
  local owner, lease = ARGV[3 * i - 2], tonumber(ARGV[3 * i - 1])
  local read, mine = pcall(owns, lock, owner)
  if read and mine and redis.call('pttl', lock) < lease then
    redis.call('pexpire', lock, lease)
    redis.call('pexpire', record, lease)
  end
  alive[i] = (read and mine) and 1 or 0
end
return alive
