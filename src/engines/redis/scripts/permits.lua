-- RPermitExpirableSemaphore: a string that counts what is free, and a sorted set of
-- permit ids with the time at which each ends. Ours are made from owner and number; a
-- peer's owner is its id in hexadecimal.
local function permit_id(owner, number)
  local hex = #owner == 32 and owner or string.sub(redis.sha1hex(owner .. ':' .. number), 1, 32)
  return (string.gsub(hex, '..', function(two) return string.char(tonumber(two, 16)) end))
end

-- What has ended is free again.
local function collect_ended(name, timeouts, channel, now)
  local ended = redis.call('zrangebyscore', timeouts, 0, digits(now / 1000), 'limit', 0, 1000)
  if #ended == 0 then return end
  redis.call('zrem', timeouts, unpack(ended))
  redis.call('publish', channel, redis.call('incrby', name, #ended))
end

-- Gives back those of an owner's permits whose number is above `kept`.
local function return_permits(name, timeouts, channel, owner, kept, held)
  local returned = 0
  for number = kept + 1, held do
    returned = returned + redis.call('zrem', timeouts, permit_id(owner, number))
  end
  if returned > 0 then
    redis.call('publish', channel, '0' .. redis.call('incrby', name, returned))
  end
  return returned
end

-- Rings those who fit into what is free, in order.
local function ring_permits(name, queue, record_prefix)
  local free = tonumber(redis.call('get', name) or 0)
  for _, place in ipairs(places(queue, record_prefix)) do
    if place.permits > free then return end
    if ring(place.owner) then
      free = free - place.permits
    else
      redis.call('zrem', queue, place.owner)
    end
  end
end
