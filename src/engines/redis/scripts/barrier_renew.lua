-- KEYS (parties record)*   ARGV (owner lease permits)*
local alive = {}
for i = 1, #KEYS / 2 do
  local parties, record = KEYS[2 * i - 1], KEYS[2 * i]
  local owner, lease = ARGV[3 * i - 2], tonumber(ARGV[3 * i - 1])
  alive[i] = 0
  if redis.pcall('hget', parties, owner) == 'g' and
      redis.call('pexpire', record, lease) == 1 then
    if redis.call('pttl', parties) < 2 * lease then
      redis.call('pexpire', parties, 2 * lease)
    end
    alive[i] = 1
  end
end
return alive
