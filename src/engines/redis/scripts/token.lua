-- SPDX-License-Identifier: Apache-2.0

-- The number of tokens that a claim wants and, if it names it, the first of them. A claim
-- that names its token is spelt `number@first`.
local function wanted_tokens(text)
  local count = tonumber(text)
  if count then return count end
  local number, first = string.match(text, '^(%d+)@(%d+)$')
  return tonumber(number), tonumber(first)
end

-- Remembers the last token after `before`. A key that a peer made has no TTL and never gets
-- one. Other keys stay until the clock is a second past their token, at least.
local function remember_token(key, last, before, ttl, now, named)
  local least = math.ceil((last - now) / 1000) + 1000
  if not before then
    if ttl > 0 then
      redis.call('set', key, digits(last), 'px', digits(math.max(ttl, least)))
    else
      redis.call('set', key, digits(last))
    end
    return
  end
  redis.call('incrby', key, digits(last - before))
  if ttl == 0 and not named then return end
  local left = redis.call('pttl', key)
  if left <= 0 then return end
  redis.call('pexpire', key, digits(math.max(ttl > 0 and ttl or left, least)))
end

-- Returns why a claim cannot have the token that it names, as the answer to its attempt,
-- or nil. Without a last token, every earlier one is more than a second behind the clock.
local function refused_token(first, count, last, now, shared)
  if first + count > now + 3600000000 then return { -4 } end
  local least = last or now - 1000000
  if first > least or (shared and first == least) then return nil end
  return { -5, digits(last or now) }
end

-- Takes `count` tokens: from `named` on, or above all earlier ones and not below the clock.
-- Where the last one has just come up to the clock, one token is taken: blocks that are
-- taken faster than the clock runs would get ahead of it, and a replica that lacks the last
-- of them would go on below them. Returns the first token and how many there are; or nil, and
-- the answer to the attempt.
local function take_tokens(key, count, ttl, now, named, shared)
  local text = redis.call('get', key)
  local last = text and tonumber(text)
  if text and not last then error({ err = 'WRONGTYPE the token key holds no number' }) end
  local first = named or math.max(last and last + 1 or 0, now)
  if not named and first > now and first < now + 1000000 then count = 1 end
  local refused = named and refused_token(named, count, last, now, shared)
  if refused then return nil, refused end
  remember_token(key, math.max(last or 0, first + count - 1), last, ttl, now, named)
  return digits(first), count
end
