-- KEYS (permit_timeouts record)*   ARGV (owner lease permits)*
local alive = {}
local now = now_us() / 1000
for i = 1, #KEYS / 2 do
  local timeouts, record = KEYS[2 * i - 1], KEYS[2 * i]
  local owner, lease, held = ARGV[3 * i - 2], tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  redis.call('pexpire', record, lease)
  local read, renewed = pcall(function()
    local ends = end_of_permits(timeouts, owner)
    return ends and ends > now and extend_permits(timeouts, owner, held, now + lease)
  end)
  alive[i] = (read and renewed) and 1 or 0
end
return alive
