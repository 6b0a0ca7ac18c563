-- KEYS queue permit_timeouts holders   ARGV limit record_prefix
-- Rows of {owner, granted, record, pttl}; a peer's permit is its id in hexadecimal.
local queue, timeouts, holders = KEYS[1], KEYS[2], KEYS[3]
local limit = tonumber(ARGV[1])
local now = now_us() / 1000
local rows, ours = {}, {}
local function add(row)
  if #rows < limit then rows[#rows + 1] = row end
end
for _, owner in ipairs(redis.call('zrange', holders, 0, -1)) do
  local record = redis.call('get', ARGV[2] .. owner)
  local ends = redis.call('zscore', timeouts, permit_id(owner, 1))
  if record and ends and tonumber(ends) > now then
    local permits = string.match(record, '^g|%d+|%d+|%d+|(%d+)|') or 1
    for number = 1, tonumber(permits) do ours[permit_id(owner, number)] = true end
    add({ owner, 1, record, digits(ends - now) })
  elseif not record then
    redis.call('zrem', holders, owner)
  end
end
local all = redis.call('zrangebyscore', timeouts, digits(now), '+inf', 'withscores')
for i = 1, #all, 2 do
  if not ours[all[i]] then
    local hex = string.gsub(all[i], '.', function(c) return string.format('%02x', string.byte(c)) end)
    add({ hex, 1, '', digits(math.min(all[i + 1] - now, 1e15)) })
  end
end
for _, place in ipairs(places(queue, ARGV[2])) do
  add({ place.owner, 0, redis.call('get', ARGV[2] .. place.owner), -1 })
end
return rows
