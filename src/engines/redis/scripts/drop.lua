-- SPDX-License-Identifier: Apache-2.0

-- The end of every drop, and what it answers. A tombstone stops an attempt that arrives
-- later. The client of one of our owners is told if an operator has ended the claim.
local function end_drop(owner, record, dropped)
  local tombstone = tonumber(ARGV[2])
  if tombstone > 0 then redis.call('set', record, 'x', 'px', tombstone) end
  if dropped == 1 and ARGV[3] == '1' then publish_to_session(owner, '-', '') end
  return dropped
end
