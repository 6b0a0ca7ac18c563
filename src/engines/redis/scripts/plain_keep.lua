-- SPDX-License-Identifier: Apache-2.0

return keep_all(function(owner, _, name, record, queue, ...)
  channel, publish_command, session_prefix = ...
  local wanted = entry_of(owner, queue, record)
  local free = tonumber(redis.call('get', name) or nil)
  if not wanted or not free then return 0 end
  extend(record, queue)
  return may_fit(owner, wanted, free, queue, record) and 0 or -1
end)
