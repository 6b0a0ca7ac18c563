-- SPDX-License-Identifier: Apache-2.0

-- KEYS lock record queue token fair_queue fair_timeouts
-- ARGV owner lease tokens details token_ttl alive arrival wait channels
--
-- This is the first part of an attempt. As a rule the lock is free and no client waits.
-- The server need not make the functions of the second part then.
local lock, record, token_key, queue = KEYS[1], KEYS[2], KEYS[4], KEYS[5]
local owner, lease, tokens, details = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local token_ttl = tonumber(ARGV[5])

local function grant()
  local now = now_us()
  local token, taken = take_tokens(token_key, tokens, token_ttl, now)
  local mine = granted_record(token, taken, now, details)
  if not redis.call('set', record, mine, 'nx', 'px', lease) then
    if redis.call('get', record) == 'x' then return { -1 } end
    redis.call('set', record, mine, 'px', lease)
  end
  take(lock, owner, lease)
  return { 1, token, taken }
end

local held = holders(lock)
if #held == 0 and not redis.call('lindex', queue, '0') then return grant() end

local timeouts, wait = KEYS[6], tonumber(ARGV[#ARGV - 3])
local record_prefix = string.sub(record, 1, -#owner - 1)
