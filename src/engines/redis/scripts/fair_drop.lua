-- SPDX-License-Identifier: Apache-2.0

-- This is the second part of a drop, after fair_release.
local token_ttl = tonumber(ARGV[4])

local dropped = 1
if not held then
  dropped = leave(owner)
  if redis.call('get', record) ~= 'x' then redis.call('del', record) end
end
if not published and (held or redis.call('exists', lock) == 0) then
  if not pass_on_fair(token_ttl) and dropped == 1 then plain = publish_release() end
end
if plain then wake(plain) end
return end_drop(owner, record, dropped)
