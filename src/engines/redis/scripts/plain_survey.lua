-- SPDX-License-Identifier: Apache-2.0

-- KEYS queue permit_timeouts holders   ARGV limit record_prefix
local rows = {}
for _, key in ipairs({ KEYS[3], KEYS[1] }) do
  for _, owner in ipairs(redis.call('zrange', key, 0, -1)) do
    local record = redis.call('get', ARGV[2] .. owner)
    if record and #rows < tonumber(ARGV[1]) then
      rows[#rows + 1] = { owner, string.sub(record, 1, 1) == 'g' and 1 or 0, record, -1 }
    end
  end
end
return rows
