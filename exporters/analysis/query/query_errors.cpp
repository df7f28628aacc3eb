#include "exporters/analysis/query/query_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "common/base/letters.hpp"
#include "common/base/text/printable.hpp"
#include "common/base/text/suggestion.hpp"
#include "exporters/analysis/query/table_schema.hpp"

namespace prof::query {

namespace {

constexpr std::size_t kMaxNameBytes = 80;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// True if the statement has the name as a word.
bool mentions(std::string_view statement, std::string_view name) {
  for (std::size_t at = statement.find(name); at != statement.npos;
       at = statement.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(statement[at - 1])) &&
        (end == statement.size() || !is_word(statement[end])))
      return true;
  }
  return false;
}

// Returns the nearest name, whatever the case of its letters is.
std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  std::vector<std::string> names;
  for (const std::string& each : known) names.push_back(base::to_lower(each));
  const std::string best = base::nearest(base::to_lower(word), names);
  const auto at = std::find(names.begin(), names.end(), best);
  return at == names.end() ? "" : known[static_cast<std::size_t>(at - names.begin())];
}

std::string unknown_table(const report::ReportReader& reader, const std::string& name) {
  const std::string best = suggestion(name, table_names(reader));
  return fmt::format("no table {}{}; --schema lists the tables of this report", name,
                     best.empty() ? "" : fmt::format("; did you mean {}?", best));
}

std::string unknown_column(const report::ReportReader& reader, const Request& request,
                           const std::string& name) {
  const std::string bare = name.substr(name.rfind('.') + 1);
  const std::string statement = base::to_lower(request.sql);
  std::vector<std::string> known;
  std::string tables;
  for (const std::string& table : table_names(reader)) {
    if (!mentions(statement, base::to_lower(table))) continue;
    const std::vector<std::string> columns = column_names(reader, table);
    known.insert(known.end(), columns.begin(), columns.end());
    tables += fmt::format("; {} has {}", table, fmt::join(columns, ", "));
  }
  std::string best = suggestion(bare, known);
  const bool is_duration = bare == "dur" || base::to_lower(bare).starts_with("duration");
  const auto has = [&](const char* each) {
    return std::find(known.begin(), known.end(), each) != known.end();
  };
  if (is_duration && !has("dur") && has("end")) best = "\"end\" - start";
  if (is_duration && has("dur")) best = "dur";
  return fmt::format("no column {}{}{}", name,
                     best.empty() ? "" : fmt::format("; did you mean {}?", best), tables);
}

// Returns the rest of the message if it starts with `start`.
bool takes(std::string_view message, std::string_view start, std::string& rest) {
  if (!message.starts_with(start)) return false;
  rest = base::printable(message.substr(start.size()).substr(0, kMaxNameBytes));
  return true;
}

}  // namespace

std::string explain(const report::ReportReader& reader, const Request& request,
                    const std::string& message) {
  std::string name;
  if (takes(message, "no such table: ", name)) return unknown_table(reader, name);
  if (takes(message, "no such column: ", name)) return unknown_column(reader, request, name);
  if (takes(message, "not authorized to use function: ", name))
    return fmt::format("function {} is not allowed: only functions that compute are", name);
  if (message == "not authorized")
    return "not allowed: a statement can only read this report (SELECT, WITH, PRAGMA table_info)";
  if (message == "interrupted")
    return fmt::format(
        "the query was stopped after {} s without a row; add a condition, or read fewer rows",
        static_cast<double>(request.time.count()) / 1000.0);
  if (message == "out of memory")
    return "the query needs too much memory; group or sort fewer rows";
  if (message == "string or blob too big")
    return "a value of the query is larger than 1,000,000 bytes";
  return base::printable(message.substr(0, 300));
}

}  // namespace prof::query
