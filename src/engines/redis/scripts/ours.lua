-- SPDX-License-Identifier: Apache-2.0

-- Our owners are spelt <client>:h<ticket>, and those of peers never end so.
local function is_ours(owner) return string.find(owner, ':h%d+$') end
