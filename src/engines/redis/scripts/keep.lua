-- SPDX-License-Identifier: Apache-2.0

-- ARGV alive waiters (owner listens keys arguments)*
--
-- Keeps the entries of waiters at rest, and looks at their locks. It grants nothing. The
-- keys are not among KEYS, because they may be in several slots of one server; a key that
-- is not at this server is an error, and its waiter asks for itself.
local alive, words = tonumber(ARGV[1]), (#ARGV - 2) / ARGV[2]

local function extend(record, queue)
  redis.call('pexpire', record, alive)
  redis.call('pexpire', queue, alive * 4)
end

-- `keep` extends the entry of one waiter, if it is there. It returns for how many ms the
-- waiter is not granted anything, -1 if that is not known, or 0 if the waiter has to ask.
local function keep_all(keep)
  local answers = { digits(now_us()) }
  for i = 3, #ARGV, words do
    local kept, left = pcall(keep, unpack(ARGV, i, i + words - 1))
    answers[#answers + 1] = kept and left or 0
  end
  return answers
end
