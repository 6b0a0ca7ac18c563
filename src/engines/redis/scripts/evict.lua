-- Tells an owner of ours that an operator has ended his claim.
local function alarm(owner)
  local client, ticket = string.match(owner, '^(.*):h(%d+)$')
  if client then redis.call('publish', 'holdfast_bell:' .. client, '-' .. ticket) end
end
