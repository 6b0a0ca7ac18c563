-- Rings the bell of an owner of ours. False: nobody heard it.
local function ring(owner)
  local client, ticket = string.match(owner, '^(.*):h(%d+)$')
  return client and redis.call('publish', 'holdfast_bell:' .. client, ticket) > 0
end

-- A waiter whom nobody hears was killed, or its subscriber connection has just broken.
-- Its record lives for `hearing_ms` more unless it asks again, which a living one does
-- sooner. Returns what is left of that, in ms.
local hearing_ms = 2000
local function doubt(record)
  local left = redis.call('pttl', record)
  if left <= hearing_ms then return math.max(left, 1) end
  redis.call('pexpire', record, hearing_ms)
  return hearing_ms
end
