-- SPDX-License-Identifier: Apache-2.0

-- KEYS (keys)*   ARGV (owner lease permits)*
--
-- Calls `renew` for each claim, with its arguments and then its keys. `renew` returns
-- whether the claim is held. While a slot moves, there is only the first key of one claim:
-- the others are renewed by calls of their own.
local function renew_all(renew)
  local alive, keys = {}, 3 * #KEYS / #ARGV
  for i = 1, #ARGV / 3 do
    local owner, lease, permits = unpack(ARGV, 3 * i - 2, 3 * i)
    local held = renew(owner, tonumber(lease), permits, unpack(KEYS, keys * (i - 1) + 1, keys * i))
    alive[i] = held and 1 or 0
  end
  return alive
end
