-- SPDX-License-Identifier: Apache-2.0

-- KEYS queue permit_timeouts holders   ARGV limit record_prefix
-- Returns rows of {owner, granted, record, pttl}; a peer's owner is its permit id in
-- hexadecimal.
local queue, timeouts, holders = KEYS[1], KEYS[2], KEYS[3]
local limit = tonumber(ARGV[1])
local now = now_us() / 1000
local rows, ours = {}, {}
local function add(row)
  if #rows < limit then rows[#rows + 1] = row end
end
for _, owner in ipairs(redis.call('zrange', holders, 0, -1)) do
  local record = redis.call('get', ARGV[2] .. owner)
  local ends = end_of_permits(timeouts, owner)
  if record and ends and ends > now then
    ours[string.sub(permit_ids(owner)(1), 1, 12)] = true
    add({ owner, 1, record, digits(ends - now) })
  elseif not record then
    redis.call('zrem', holders, owner)
  end
end
local all = #rows < limit and redis.call('zrangebyscore', timeouts, digits(now), '+inf',
  'withscores', 'limit', 0, 10000) or {}
for i = 1, #all, 2 do
  if not ours[string.sub(all[i], 1, 12)] then
    local hex = string.gsub(all[i], '.', function(c) return string.format('%02x', string.byte(c)) end)
    add({ hex, 1, '', digits(math.min(all[i + 1] - now, 1e15)) })
  end
end
for _, owner in ipairs(redis.call('zrange', queue, 0, limit)) do
  local record = redis.call('get', ARGV[2] .. owner)
  if record then add({ owner, 0, record, -1 }) end
end
return rows
