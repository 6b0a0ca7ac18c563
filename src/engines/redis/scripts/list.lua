-- SPDX-License-Identifier: Apache-2.0

-- ARGV keys that a scan found   (They are in several slots, so they cannot be KEYS.)
-- Tells by its shape what each key is: m mutex, s shared_mutex, p semaphore, or '' for
-- everything else that may be in this database.
local owner = '^%x+%-%x+%-%x+%-%x+%-%x+:'
-- A key that is on its way to another server has no type here.
local function type_of(key) return redis.pcall('type', key).ok end
local kinds = {}
for i, key in ipairs(ARGV) do
  kinds[i] = ''
  local type = type_of(key)
  if type == 'hash' and redis.call('hlen', key) < 10000 then
    local fields = redis.call('hkeys', key)
    local ours, mode = #fields > 0, false
    for _, field in ipairs(fields) do
      if field == 'mode' then mode = true
      elseif not string.find(field, owner) then ours = false end
    end
    if ours and #fields > (mode and 1 or 0) then kinds[i] = mode and 's' or 'm' end
  elseif type == 'string' then
    local timeouts = string.find(key, '{', 1, true) and key .. ':timeout' or '{' .. key .. '}:timeout'
    if type_of(timeouts) == 'zset' then
      kinds[i] = 'p'
    elseif string.find(redis.call('getrange', key, 0, 99), owner .. 'h%d+$') then
      kinds[i] = 'm'
    end
  end
end
return kinds
