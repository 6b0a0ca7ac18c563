-- SPDX-License-Identifier: Apache-2.0

-- The plain lock of SET NX PX is a string, the owner.
local function owns(lock, owner) return redis.call('get', lock) == owner end
local function take(lock, owner, lease) redis.call('set', lock, owner, 'px', lease) end
local function first_holder(lock) return redis.call('get', lock) or nil end
local function holders(lock) return { first_holder(lock) } end
-- Peers that wait look again from time to time, and nothing tells of them.
local peers_poll = true
