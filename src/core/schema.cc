#include "holdfast/schema.h"

#include <string>

#include "core/engine_table.h"
#if HOLDFAST_WITH_MYSQL
#include "engines/mysql/schema.h"
#endif

namespace holdfast {

Result<std::string_view> schema(std::string_view engine) {
#if HOLDFAST_WITH_MYSQL
  if (engine == "mysql") return mysql::schema();
#endif
  const std::string_view built_in = core::built_in_engines();
  const auto at = built_in.find(engine);
  const bool known =
      at != std::string_view::npos && !engine.empty() &&
      (at == 0 || built_in[at - 1] == ' ') &&
      (at + engine.size() == built_in.size() || built_in[at + engine.size()] == ' ');
  const std::string name = "engine '" + std::string(engine) + "'";
  if (known) return Failure(Errc::unsupported, name + " needs no tables");
  return Failure(Errc::no_engine,
                 name + " is not built in; this build has: " + std::string(built_in));
}

}  // namespace holdfast
