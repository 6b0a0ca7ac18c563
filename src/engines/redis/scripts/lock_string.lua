-- The plain lock of SET NX PX is a string, the owner.
local function owns(lock, owner) return redis.call('get', lock) == owner end
local function take(lock, owner, lease) redis.call('set', lock, owner, 'px', lease) end
local function check_kind() end
local function holders(lock) return { redis.call('get', lock) or nil } end
