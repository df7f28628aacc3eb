#include "collector/report/schema.hpp"

#include <utility>

namespace prof::report {

namespace {

constexpr std::pair<std::string_view, std::string_view> kFiles[] = {
#include "schema_files.inc"
};

}  // namespace

std::string_view table_sql(std::string_view table) {
  for (const auto& [name, content] : kFiles)
    if (name == table) return content;
  return {};
}

std::string_view enum_values() { return table_sql("enums"); }

}  // namespace prof::report
