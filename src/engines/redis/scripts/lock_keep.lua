-- SPDX-License-Identifier: Apache-2.0

-- ARGV alive (owner listens lock record queue)*
--
-- Keeps the entries of waiters at rest, and looks at their locks. It grants nothing. The
-- keys are not among KEYS, because they may be in several slots of one server; a key that
-- is not at this server is an error, and its waiter asks for itself.
local alive = tonumber(ARGV[1])

local function keep(owner, listens, lock, record, queue)
  local state = string.lower(redis.call('getrange', record, 0, 0))
  if state ~= 'w' or not redis.call('zscore', queue, owner) then return 0 end
  local held = holders(lock)
  if #held == 0 then return 0 end
  for _, holder in ipairs(held) do
    if holder == owner or not (listens == '1' or is_ours(holder)) then return 0 end
  end
  redis.call('pexpire', record, alive)
  redis.call('pexpire', queue, alive * 4)
  return redis.call('pttl', lock)
end

local answers = { digits(now_us()) }
for i = 2, #ARGV, 5 do
  local kept, left = pcall(keep, unpack(ARGV, i, i + 4))
  answers[#answers + 1] = kept and left or 0
end
return answers
