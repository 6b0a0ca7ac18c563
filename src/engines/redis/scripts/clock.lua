-- SPDX-License-Identifier: Apache-2.0

local function now_us()
  local time = redis.call('time')
  return time[1] * 1000000 + time[2]
end
local function digits(number) return string.format('%.0f', number) end
