-- KEYS name permit_timeouts
local free = redis.call('get', KEYS[1])
return free and digits(free + redis.call('zcard', KEYS[2]))
