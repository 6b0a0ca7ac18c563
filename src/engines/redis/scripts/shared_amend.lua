-- SPDX-License-Identifier: Apache-2.0

-- KEYS lock record queue reader_timeout
-- ARGV owner lease details mode record_prefix channels
-- A writer may become a reader; the waiting readers, ours and the peers', are then
-- woken.
local lock, record, queue, timeout = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner, lease, details, wanted = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local writes = redis.call('hexists', lock, owner .. ':write') == 1
if not writes and redis.call('hexists', lock, owner) == 0 then return { -1 } end
if wanted == 'w' and not writes then return { -3 } end

local was = redis.call('get', record)
local token, tokens = token_of(was)
redis.call('pexpire', record, lease)
if wanted == 'r' then redis.call('set', timeout, 1, 'px', lease) end
if wanted == 'r' and writes then
  redis.call('hset', lock, owner, 1, 'mode', 'read')
  redis.call('hdel', lock, owner .. ':write')
end
if redis.call('pttl', lock) < lease then redis.call('pexpire', lock, lease) end
redis.call('set', record, amended_record(was, now_us(), details), 'px', lease)
if wanted == 'r' and writes then
  tell_readers()
  wake_shared(queue, ARGV[5], 'read')
end
return { 1, token, tokens }
