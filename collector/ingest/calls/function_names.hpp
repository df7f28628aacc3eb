// Names of the functions that call records refer to by number.
#pragma once

#include <cstdint>
#include <vector>

#include "collector/ingest/string_table.hpp"
#include "collector/report/report_writer.hpp"
#include "injection/wire/records.hpp"

namespace prof::ingest {

class FunctionNames {
 public:
  FunctionNames(const StringTable& strings, report::ReportWriter& writer)
      : strings_(strings), writer_(writer) {}

  void define(const wire::FunctionRecord& record) {
    if (record.header.aux < wire::kMaxFunctions) names_[record.header.aux] = record.name;
  }

  // StringIds.id of the name.
  std::int32_t id_of(std::uint32_t function) {
    if (function >= wire::kMaxFunctions) return 0;
    std::int32_t& id = ids_[function];
    if (id < 0) id = writer_.string_id(strings_.text(names_[function]));
    return id;
  }

 private:
  const StringTable& strings_;
  report::ReportWriter& writer_;
  std::vector<std::uint64_t> names_ = std::vector<std::uint64_t>(wire::kMaxFunctions);
  std::vector<std::int32_t> ids_ = std::vector<std::int32_t>(wire::kMaxFunctions, -1);
};

}  // namespace prof::ingest
