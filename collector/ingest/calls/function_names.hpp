// Names of the functions that call records refer to by number.
#pragma once

#include <cstdint>
#include <vector>

#include "collector/ingest/string_table.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/records.hpp"

namespace prof::ingest {

class FunctionNames {
 public:
  FunctionNames(const StringTable& strings, report::ReportWriter& writer)
      : strings_(strings), writer_(writer) {}

  void define(const wire::FunctionRecord& record) {
    if (record.header.aux < wire::kMaxFunctions) name_of(record.header.aux).text = record.name;
  }

  // `text`: hash of a name.
  bool is_named(std::uint32_t function, std::uint64_t text) const {
    return function < names_.size() && names_[function].text == text;
  }

  // Returns the StringIds.id of the function's name.
  std::int32_t id_of(std::uint32_t function) {
    if (function >= wire::kMaxFunctions) return 0;
    Name& name = name_of(function);
    if (name.id < 0) name.id = writer_.string_id(strings_.text(name.text));
    return name.id;
  }

 private:
  struct Name {
    std::uint64_t text = 0;  // hash of the text
    std::int32_t id = -1;    // StringIds.id, once requested
  };

  Name& name_of(std::uint32_t function) {
    if (function >= names_.size()) names_.resize(function + 1);
    return names_[function];
  }

  const StringTable& strings_;
  report::ReportWriter& writer_;
  std::vector<Name> names_;  // indexed by function, up to the highest number seen
};

}  // namespace prof::ingest
