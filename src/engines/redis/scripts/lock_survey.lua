-- SPDX-License-Identifier: Apache-2.0

-- KEYS lock queue fair_queue   ARGV limit record_prefix
-- Returns rows of {owner, granted, record, pttl}: the holders first, then the waiters
-- in order.
local lock, limit = KEYS[1], tonumber(ARGV[1])
local rows, seen = {}, {}
local function add(owner, granted, record, left)
  if #rows < limit and not seen[owner] then
    rows[#rows + 1] = { owner, granted, record or '', left }
    seen[owner] = true
  end
end
local left = redis.call('pttl', lock)
for _, owner in ipairs(holders(lock)) do
  add(owner, 1, redis.call('get', ARGV[2] .. owner), left)
end
for _, owner in ipairs(redis.call('lrange', KEYS[3], 0, limit)) do
  local record = redis.call('get', ARGV[2] .. owner)
  if record or not is_ours(owner) then add(owner, 0, record, -1) end
end
for _, owner in ipairs(redis.call('zrange', KEYS[2], 0, limit)) do
  local record = redis.call('get', ARGV[2] .. owner)
  if record then add(owner, 0, record, -1) end
end
return rows
