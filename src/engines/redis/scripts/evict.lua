-- Tells the client of one of our owners that an operator has ended that claim.
local function alarm(owner)
  local client, ticket = string.match(owner, '^(.*):h(%d+)$')
  if client then redis.call('publish', 'holdfast_bell:' .. client, '-' .. ticket) end
end
