-- SPDX-License-Identifier: Apache-2.0

-- The last three arguments of a script that publishes: the channel of the resource, the
-- command (SPUBLISH in a cluster), and what the channels of the sessions begin with.
local channel, publish_command, session_prefix = unpack(ARGV, #ARGV - 2)
local function publish(to, message) return redis.call(publish_command, to, message) end

-- Publishes to the session's channel of one of our owners: its ticket between `before`
-- and `after`. Returns false if the client is not subscribed to it, or not one of ours.
local function publish_to_session(owner, before, after)
  local client, ticket = string.match(owner, '^(.*):h(%d+)$')
  return client and publish(session_prefix .. client, before .. ticket .. after) > 0
end
