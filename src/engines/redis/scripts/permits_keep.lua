-- SPDX-License-Identifier: Apache-2.0

-- Permits that end become free when a client asks.
return keep_all(function(owner, _, name, record, queue, timeouts, ...)
  channel, publish_command, session_prefix = ...
  local wanted = entry_of(owner, queue, record)
  local free = tonumber(redis.call('get', name) or nil)
  if not wanted or not free then return 0 end
  if wanted > free + redis.call('zcard', timeouts) then return 0 end
  extend(record, queue)
  if may_fit(owner, wanted, free, queue, record) then return 0 end
  local first = redis.call('zrange', timeouts, 0, 0, 'withscores')
  return first[2] and math.max(first[2] - now_us() / 1000, 0) or -1
end)
