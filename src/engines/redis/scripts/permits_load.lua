-- SPDX-License-Identifier: Apache-2.0

-- KEYS name permit_timeouts
local free = redis.call('get', KEYS[1])
if free and not tonumber(free) then return redis.error_reply('WRONGTYPE no number of permits') end
return free and digits(free + redis.call('zcard', KEYS[2]))
