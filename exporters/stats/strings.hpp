// Texts of a report's StringIds, fetched as they are needed.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "collector/report/report_reader.hpp"

namespace prof::stats {

class Strings {
 public:
  // `missing`: the text of an id that is not there.
  explicit Strings(const report::ReportReader& reader, const char* missing = "[Unknown]")
      : reader_(&reader), missing_(missing) {}

  // Valid as long as this object.
  const std::string& text(std::int64_t id) {
    const auto [at, is_new] = known_.try_emplace(id);
    if (is_new) at->second = read(id);
    return at->second;
  }

 private:
  std::string read(std::int64_t id) const {
    auto query = reader_->prepare("SELECT value FROM StringIds WHERE id = ?");
    if (!query) return missing_;
    query->bind(1, id);
    const auto row = query->step();
    return row && *row ? std::string(query->text(0)) : missing_;
  }

  const report::ReportReader* reader_;
  const char* missing_;
  std::unordered_map<std::int64_t, std::string> known_;
};

}  // namespace prof::stats
