-- SPDX-License-Identifier: Apache-2.0

-- KEYS name record   ARGV repeatable by latch channels
-- RAtomicLong and RCountDownLatch are strings. An absent latch is open and stays so.
local name, record = KEYS[1], KEYS[2]
local known = known_outcome(record, ARGV[1])
if known then return known end
local latch = ARGV[3] == '1'
local value = ''
if not latch or redis.call('get', name) then
  local count = redis.call('incrby', name, ARGV[2])
  value = redis.call('get', name)
  if latch and count <= 0 then
    redis.call('del', name)
    publish(channel, '0')
    value = ''
  elseif latch then
    publish(channel, '2')
  else
    publish(channel, value)
  end
end
remember(record, ARGV[1], 1, value)
return { 1, value }
