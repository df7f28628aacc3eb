#include "exporters/formats/rows/table_selection.hpp"

#include <regex.h>

#include <algorithm>

#include "exporters/analysis/events/rows.hpp"

namespace prof::formats {

namespace {

// A compiled pattern.
class Pattern {
 public:
  explicit Pattern(const std::string& text)
      : status_(regcomp(&compiled_, ("^\\(" + text + "\\)$").c_str(), REG_ICASE | REG_NOSUB)) {}
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  ~Pattern() {
    if (status_ == 0) regfree(&compiled_);
  }
  bool is_valid() const { return status_ == 0; }
  bool matches(const std::string& table) const {
    return regexec(&compiled_, table.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t compiled_{};
  int status_;
};

}  // namespace

base::Result<std::vector<std::string>> select_tables(const report::ReportReader& reader,
                                                     const std::vector<std::string>& patterns) {
  std::vector<std::string> all = reader.tables();
  std::erase_if(all, [](const std::string& table) { return table.starts_with("sqlite_"); });
  if (patterns.empty()) return all;
  std::vector<std::string> found;
  for (const std::string& text : patterns) {
    const Pattern pattern(text);
    if (!pattern.is_valid()) return base::fail("bad pattern of tables: " + text);
    bool matches = false;
    for (const std::string& table : all)
      if (pattern.matches(table)) {
        if (std::find(found.begin(), found.end(), table) == found.end()) found.push_back(table);
        matches = true;
      }
    if (!matches) return base::fail(reader.path() + " has no table " + text);
  }
  return found;
}

std::set<std::string> other_events(const report::ReportReader& reader,
                                   const std::vector<std::string>& selected) {
  std::set<std::string> others;
  for (const std::string& table : reader.tables())
    if ((reader.has_column(table, "start") || reader.has_column(table, "timestamp")) &&
        std::find(selected.begin(), selected.end(), table) == selected.end())
      others.insert(table);
  return others;
}

}  // namespace prof::formats
