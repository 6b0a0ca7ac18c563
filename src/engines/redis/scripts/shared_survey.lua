-- SPDX-License-Identifier: Apache-2.0

-- KEYS lock queue   ARGV limit record_prefix timeout_prefix
-- Returns rows of {owner, granted, record, pttl, mode}.
local lock, limit = KEYS[1], tonumber(ARGV[1])
local rows = {}
local function add(row)
  if #rows < limit then rows[#rows + 1] = row end
end
local left = redis.call('pttl', lock)
mode_of(lock, left)
for _, field in ipairs(redis.call('hkeys', lock)) do
  local writer = string.match(field, '^(.*):write$')
  if writer then
    add({ writer, 1, redis.call('get', ARGV[2] .. writer) or '', left, 'w' })
  elseif field ~= 'mode' then
    local mine = redis.call('pttl', ARGV[3] .. field .. ':rwlock_timeout:1')
    if mine ~= -2 then
      add({ field, 1, redis.call('get', ARGV[2] .. field) or '', mine, 'r' })
    end
  end
end
for _, owner in ipairs(redis.call('zrange', KEYS[2], 0, limit)) do
  local record = redis.call('get', ARGV[2] .. owner)
  local mode = string.match(record or '', '^w|%d+|%d+|%d+|%d+|(%a)|')
  if mode then add({ owner, 0, record, -1, mode }) end
end
return rows
