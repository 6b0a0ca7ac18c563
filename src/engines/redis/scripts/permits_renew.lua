-- KEYS (permit_timeouts record)*   ARGV (owner lease permits)*
local alive = {}
local now = now_us() / 1000
for i = 1, #KEYS / 2 do
  local timeouts, record = KEYS[2 * i - 1], KEYS[2 * i]
  local owner, lease = ARGV[3 * i - 2], tonumber(ARGV[3 * i - 1])
  alive[i] = 1
  for number = 1, tonumber(ARGV[3 * i]) do
    local id = permit_id(owner, number)
    local ends = redis.pcall('zscore', timeouts, id)
    if type(ends) == 'string' and tonumber(ends) > now then
      redis.call('zadd', timeouts, digits(math.max(ends, now + lease)), id)
    else
      alive[i] = 0
    end
  end
  redis.call('pexpire', record, lease)
end
return alive
