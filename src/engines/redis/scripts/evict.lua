-- SPDX-License-Identifier: Apache-2.0

-- Tells the client of one of our owners that an operator has ended that claim.
local function alarm(owner) publish_to_session(owner, '-', '') end
