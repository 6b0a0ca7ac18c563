-- Rings the bell of an owner of ours. False: nobody heard it, so he is gone.
local function ring(owner)
  local client, ticket = string.match(owner, '^(.*):h(%d+)$')
  return client and redis.call('publish', 'holdfast_bell:' .. client, ticket) > 0
end
