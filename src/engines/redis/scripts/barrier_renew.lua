-- SPDX-License-Identifier: Apache-2.0

-- The keys of a claim: parties [record]
return renew_all(function(owner, lease, _, parties, record)
  if redis.pcall('hget', parties, owner) ~= 'g' then return false end
  if record and redis.call('pexpire', record, lease) == 0 then return false end
  if redis.call('pttl', parties) < 2 * lease then
    redis.call('pexpire', parties, 2 * lease)
  end
  return true
end)
