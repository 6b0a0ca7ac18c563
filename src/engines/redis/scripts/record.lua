-- SPDX-License-Identifier: Apache-2.0

-- A granted record is g|token|tokens|since|permits|mode|payload.
local function granted_record(token, tokens, now, details)
  return 'g|' .. token .. '|' .. tokens .. '|' .. digits(now / 1000) .. '|' .. details
end
-- A waiting record is w|lease|tokens|since|permits|mode|payload. Where a release may hand
-- the claim its grant, the lease and the number of tokens say what to grant. The record of
-- a waiter that was woken without a grant begins with W: the next release hands over.
local function waiting_record(arrival, details, lease, tokens, was)
  local state = was and string.sub(was, 1, 1) == 'W' and 'W|' or 'w|'
  local grant = (lease or '0') .. '|' .. (tokens or '0') .. '|'
  return state .. grant .. digits(arrival / 1000) .. '|' .. details
end
local function token_of(record)
  local token, tokens = string.match(record or '', '^g|(%d+)|(%d+)|')
  return token or '0', tonumber(tokens or 1)
end
local function is_granted(record) return record and string.sub(record, 1, 1) == 'g' end
-- Returns the record of the same grant with other details.
local function amended_record(record, now, details)
  local head = string.match(record or '', '^(g|%d+|%d+|%d+|)')
  return head and head .. details or granted_record('0', 1, now, details)
end
-- Returns the answer to a repeated attempt: the same grant, for at least `lease` from
-- now. It always writes, because WAIT only counts replicas that have the connection's
-- writes. Returns nil if the record has ended: the token is then not known, and the
-- claim is to be granted anew.
local function same_grant(lock, record, lease)
  local was = redis.call('get', record)
  if not is_granted(was) then return nil end
  if redis.call('pttl', lock) <= lease then
    redis.call('pexpire', lock, lease)
    redis.call('pexpire', record, lease)
  end
  local token, tokens = token_of(was)
  return { 1, token, tokens }
end
