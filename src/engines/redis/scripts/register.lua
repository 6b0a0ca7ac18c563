-- SPDX-License-Identifier: Apache-2.0

-- Our own registers are a hash of number n and version v. A version is never used
-- twice.
local function next_version(last) return digits(math.max((last or 0) + 1, now_us())) end
local function read(key)
  local pair = redis.call('hmget', key, 'n', 'v')
  return pair[1] and pair[2] and pair[1] .. ' ' .. pair[2] or '', pair[2]
end
