-- SPDX-License-Identifier: Apache-2.0

-- The outcome of a change to a register is kept as v|done|value, so that a retry of the
-- same request is idempotent.
local function remember(record, repeatable, done, value)
  if repeatable == '1' then
    redis.call('set', record, 'v|' .. done .. '|' .. value, 'px', 300000)
  end
end
local function known_outcome(record, repeatable)
  local known = repeatable == '1' and redis.call('get', record)
  if not known then return nil end
  local done, value = string.match(known, '^v|(%d)|(.*)$')
  return { tonumber(done or 0), value or '' }
end
