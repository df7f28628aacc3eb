#include "exporters/analysis/events/metrics/ftrace_types.hpp"

#include <fmt/format.h>

namespace prof::events {

std::string is_ftrace_type(const report::ReportReader& reader, const std::string& type_id) {
  constexpr int kFtraceGroup = 1;  // ENUM_NSYS_GENERIC_EVENT_GROUP
  if (!reader.has_column("GENERIC_EVENT_SOURCES", "sourceGroupId") ||
      !reader.has_column("GENERIC_EVENT_TYPES", "nameId"))
    return {};
  return fmt::format(
      "{} IN (SELECT type.typeId FROM GENERIC_EVENT_TYPES AS type JOIN GENERIC_EVENT_SOURCES AS "
      "source ON source.sourceId = type.sourceId WHERE source.sourceGroupId = {})",
      type_id, kFtraceGroup);
}

}  // namespace prof::events
