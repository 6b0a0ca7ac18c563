// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/schema.h"

#include <string>
#include <utility>

#include "engines/mysql/engine.h"
#include "engines/mysql/errors.h"
#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql {
namespace {

constexpr std::string_view kSchema =
    R"(-- Holdfast: the tables of its MySQL engine. Tested on MariaDB.
-- All times are UTC, by the server's clock.

CREATE TABLE IF NOT EXISTS holdfast_resource (   -- one row for each name
  id          BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  name        VARBINARY(512)  NOT NULL,
  kind        ENUM('mutex','fair_mutex','shared_mutex','semaphore','election',
                   'double_barrier','latch','barrier','counter','shared_count')
                              NOT NULL,
  fence       BIGINT UNSIGNED NOT NULL,           -- the last token given; only grows
  epoch       BIGINT UNSIGNED NOT NULL DEFAULT 0, -- older statements have no effect
  token       BIGINT UNSIGNED NOT NULL DEFAULT 0, -- a mutex: the holder's token
  owner       VARBINARY(64)   NOT NULL DEFAULT '',   -- a mutex: the last owner
  since       DATETIME(6)     NOT NULL DEFAULT '2000-01-01', -- ... the time of its grant
  expires_at  DATETIME(6)     NOT NULL DEFAULT '2000-01-01', -- ... the end of its lease,
                                                     -- or 2000 if it was released
  holder      VARBINARY(1024) NOT NULL DEFAULT '',   -- ... the name it has chosen
  host        VARBINARY(255)  NOT NULL DEFAULT '',   -- ... and where it runs:
  thread      VARBINARY(64)   NOT NULL DEFAULT '',
  `function`  VARBINARY(512)  NOT NULL DEFAULT '',
  description VARBINARY(512)  NOT NULL DEFAULT '',
  value       BIGINT          NULL,               -- the number of a register
  version     BIGINT UNSIGNED NOT NULL,           -- of that number; only grows
  used_at     DATETIME(6)     NOT NULL,           -- for `holdfast gc`, with `since`
  PRIMARY KEY (id),
  UNIQUE KEY by_name (name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

CREATE TABLE IF NOT EXISTS holdfast_claim (      -- one row for each claim in a queue
  resource    BIGINT UNSIGNED NOT NULL,
  id          BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  owner       VARBINARY(64)   NOT NULL,
  mode        ENUM('exclusive','shared') NOT NULL,
  permits     INT UNSIGNED    NOT NULL,
  granted     BOOLEAN         NOT NULL DEFAULT FALSE,
  bell        BOOLEAN         NOT NULL,           -- GET_LOCK wakes waiters at its end
  token       BIGINT UNSIGNED NOT NULL DEFAULT 0,
  since       DATETIME(6)     NOT NULL,
  expires_at  DATETIME(6)     NOT NULL,
  holder      VARBINARY(1024) NOT NULL,
  host        VARBINARY(255)  NOT NULL,
  thread      VARBINARY(64)   NOT NULL,
  `function`  VARBINARY(512)  NOT NULL,
  description VARBINARY(512)  NOT NULL,
  PRIMARY KEY (resource, id),
  UNIQUE KEY by_owner (resource, owner),
  KEY by_id (id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

CREATE TABLE IF NOT EXISTS holdfast_mark (       -- the receipts of changes to numbers
  client      VARBINARY(64)   NOT NULL,
  slot        BIGINT UNSIGNED NOT NULL,
  ticket      BIGINT UNSIGNED NOT NULL,
  number      BIGINT          NULL,
  version     BIGINT UNSIGNED NOT NULL,
  used_at     DATETIME(6)     NOT NULL,
  PRIMARY KEY (client, slot)
) ENGINE=InnoDB;
)";

}  // namespace

std::string_view schema() noexcept { return kSchema; }

std::vector<std::string_view> schema_statements() {
  std::vector<std::string_view> statements;
  std::string_view rest = kSchema;
  for (auto end = rest.find(";\n"); end != std::string_view::npos;
       end = rest.find(";\n")) {
    statements.push_back(rest.substr(0, end));
    rest.remove_prefix(end + 2);
  }
  return statements;
}

Result<void> ensure_tables(Pool& pool, engine::Deadline until) {
  auto connection = pool.lend(until);
  if (!connection) return std::move(connection).error();
  auto found = (*connection)->run(sql::kReceipt, Args("", std::uint64_t{0}), until);
  if (found) return {};
  if (!is_no_table((*connection)->last_error())) return std::move(found).error();
  Failure missing = std::move(found).error();
  for (const std::string_view each : schema_statements()) {
    auto made = (*connection)->ask(std::string(each), until);
    if (!made && made.error().code == Errc::denied) return missing;
    if (!made) return std::move(made).error();
  }
  return {};
}

}  // namespace holdfast::mysql
