-- The outcome of a change, kept for those who ask again: v|done|value.
local function remember(record, repeatable, done, value)
  if repeatable == '1' then
    redis.call('set', record, 'v|' .. done .. '|' .. value, 'px', 300000)
  end
end
local function outcome_of(record)
  local done, value = string.match(record, '^v|(%d)|(.*)$')
  return { tonumber(done or 0), value or '' }
end
