-- SPDX-License-Identifier: Apache-2.0

-- KEYS parties   ARGV limit record_prefix
local rows = {}
for _, owner in ipairs(redis.call('hkeys', KEYS[1])) do
  local record = redis.call('get', ARGV[2] .. owner)
  if record and #rows < tonumber(ARGV[1]) then
    local granted = redis.call('hget', KEYS[1], owner) == 'g' and 1 or 0
    rows[#rows + 1] = { owner, granted, record, redis.call('pttl', ARGV[2] .. owner) }
  end
end
return rows
