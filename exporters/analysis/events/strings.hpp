// Reads the texts of a report's StringIds on demand.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "common/report/report_reader.hpp"
#include "common/report/table_scan.hpp"

namespace prof::events {

class Strings {
 public:
  static constexpr std::int64_t kNone = INT64_MIN;  // stands for a missing id

  // `missing` is the text for unknown ids.
  explicit Strings(const report::ReportReader& reader, const char* missing = "[Unknown]")
      : reader_(&reader),
        query_(reader.prepare("SELECT value FROM StringIds WHERE id = ?")),
        missing_(missing) {}

  // The reference is valid as long as this object exists.
  const std::string& text(std::int64_t id) {
    const auto [at, is_new] = known_.try_emplace(id);
    if (is_new) at->second = read(id);
    return at->second;
  }

  // Ends the use of the report. Texts that were not read until now stay unknown.
  void close() {
    query_ = tl::make_unexpected(base::Error{});
    reader_ = nullptr;
  }

 private:
  std::string read(std::int64_t id) {
    if (reader_ == nullptr) return missing_;
    if (!query_) {
      reader_->note(query_.error());
      return missing_;
    }
    query_->bind(1, id);
    const auto row = query_->step();
    if (!row) reader_->note(reader_->last_error());
    std::string value =
        row && *row ? std::string(query_->text(0).substr(0, report::kMaxTextBytes)) : missing_;
    query_->reset();
    return value;
  }

  const report::ReportReader* reader_;
  base::Result<report::Statement> query_;
  const char* missing_;
  std::unordered_map<std::int64_t, std::string> known_;
};

}  // namespace prof::events
