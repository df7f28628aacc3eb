// Exports a report as one JSON document. Memory does not grow with the size of the report.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/formats/output.hpp"

namespace prof::formats {

// export_json() writes this document (see docs/man/prof-export.md): {"format": "prof-json",
// "version": 1, "report": path, "tables": {TABLE: [{column: value, …}, …], …}}. A column with an id
// of StringIds (nameId, textId, demangledName, …) is followed by its text, under the name without
// "Id" or with "Text" appended; with JsonTexts::kInStringIds it is not. `tables` has the tables to
// export; empty: all except ENUM_*.
enum class JsonTexts { kBesideIds, kInStringIds };
base::Status export_json(const report::ReportReader& reader, const std::vector<std::string>& tables,
                         const Output& output, JsonTexts texts = JsonTexts::kBesideIds);

}  // namespace prof::formats
