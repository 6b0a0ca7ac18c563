-- SPDX-License-Identifier: Apache-2.0

-- A reader that waits behind a writer asks when that writer is not there any more.
return keep_all(function(owner, _, lock, record, queue, ...)
  channel, publish_command, session_prefix = ...
  doubted = nil
  local _, wanted = entry_of(owner, queue, record)
  local left = redis.call('pttl', lock)
  local mode = wanted and mode_of(lock, left)
  if not mode then return 0 end
  extend(record, queue)
  local fits = mode == 'read' and wanted == 'r' and
    not overtakes(owner, wanted, queue, string.sub(record, 1, -#owner - 1))
  return (fits or doubted) and 0 or left
end)
