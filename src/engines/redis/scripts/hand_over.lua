-- SPDX-License-Identifier: Apache-2.0

-- A release grants the lock to a waiter itself and tells the waiter's client, which then
-- need not ask. The client may be stopped, so this grant is short, until the client
-- renews it or attempts again.
local provisional_ms = 3000

-- Grants the lock to `owner`, whose record is `was`, and publishes
-- `ticket token tokens time left` to its session's channel: the time in the server's us,
-- what is left of the grant in ms. Returns false if the owner does not wait any more, or
-- if its client is not subscribed.
local function hand_over(lock, owner, record, was, token_key, token_ttl)
  local lease, tokens, details = string.match(was or '', '^[wW]|(%d+)|(%d+)|%d+|(.*)$')
  lease = tonumber(lease or 0)
  if lease == 0 then return false end
  local now, left = now_us(), digits(math.min(lease, provisional_ms))
  local token, taken = take_tokens(token_key, tonumber(tokens), token_ttl, now)
  local grant = table.concat({ '', token, taken, digits(now), left }, ' ')
  if not wake(owner, grant) then return false end
  redis.call('set', record, granted_record(token, taken, now, details), 'px', left)
  take(lock, owner, left)
  return true
end
