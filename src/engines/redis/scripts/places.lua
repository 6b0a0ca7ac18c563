-- The places of those of us who wait, in order: {owner, permits, mode} for each who is
-- alive. The dead are taken out.
local function places(queue, record_prefix)
  local living = {}
  for _, owner in ipairs(redis.call('zrange', queue, 0, -1)) do
    local record = redis.call('get', record_prefix .. owner)
    local permits, mode = string.match(record or '', '^w|%d+|%d+|%d+|(%d+)|(%a)|')
    if permits then
      living[#living + 1] = { owner = owner, permits = tonumber(permits), mode = mode }
    else
      redis.call('zrem', queue, owner)
    end
  end
  return living
end

-- Keeps a place in line while it is asked for.
local function keep_place(queue, record, owner, arrival, facts, alive)
  redis.call('zadd', queue, 'nx', digits(arrival), owner)
  redis.call('pexpire', queue, alive * 4)
  redis.call('set', record, waiting_record(arrival, facts), 'px', alive)
end
