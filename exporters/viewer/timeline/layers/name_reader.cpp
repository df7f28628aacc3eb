#include <fmt/format.h>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/viewer/timeline/layers/layers.hpp"

namespace prof::timeline {

namespace {

constexpr std::uint32_t kNotRead = 0xffffffff;
// The largest id that has a place in a vector.
constexpr std::int64_t kMaxInVector = 1 << 22;

// Returns the text in the first column of the first row, or an empty text if there is no row.
std::string first_text(report::Statement& query) {
  const auto row = query.step();
  std::string text = row && *row ? std::string(query.text(0).substr(0, report::kMaxTextBytes)) : "";
  query.reset();
  return text;
}

}  // namespace

std::uint32_t& NameReader::Numbers::operator[](std::int64_t id) {
  if (id < 0 || id >= kMaxInVector) return large_.try_emplace(id, kNotRead).first->second;
  const auto index = static_cast<std::size_t>(id);
  if (index >= small_.size()) small_.resize(index * 2 + 64, kNotRead);
  return small_[index];
}

std::string NameReader::read_string(std::int64_t id) {
  auto at = statements_.find("");
  if (at == statements_.end()) {
    auto query = reader_->prepare("SELECT value FROM StringIds WHERE id = ?");
    if (!query) {
      reader_->note(query.error());
      return {};
    }
    at = statements_.emplace("", std::move(*query)).first;
  }
  at->second.bind(1, id);
  return first_text(at->second);
}

std::uint32_t NameReader::string(std::int64_t id) {
  std::uint32_t& number = strings_[id];
  if (number == kNotRead) {
    const std::string text = read_string(id);
    number = text.empty() ? Names::kUnknown : names_->number(text);
  }
  return number;
}

std::uint32_t NameReader::call(std::int64_t id) {
  std::uint32_t& number = calls_[id];
  if (number == kNotRead) {
    const std::string text = read_string(id);
    number = text.empty() ? Names::kUnknown : names_->number(events::without_version(text));
  }
  return number;
}

std::uint32_t NameReader::string(std::int64_t id, std::uint32_t color) {
  if (color == Names::kNoColor) return string(id);
  const auto [at, is_new] = colored_.try_emplace({id, color}, Names::kUnknown);
  if (is_new) at->second = names_->number(names_->text(string(id)), color);
  return at->second;
}

std::uint32_t NameReader::label(const std::string& table, std::int64_t value) {
  const auto [at, is_new] = labels_.try_emplace({table, value}, Names::kUnknown);
  if (!is_new) return at->second;
  std::string text;
  if (reader_->has_column(table, "label")) {
    auto query = reader_->prepare(
        fmt::format("SELECT label FROM {} WHERE id = {}", report::quoted(table), value));
    if (query) text = first_text(*query);
  }
  at->second = names_->number(text.empty() ? fmt::format("{}", value) : text);
  return at->second;
}

bool NameReader::is_one(const std::string& sql) const {
  auto query = reader_->prepare(sql);
  return query && query->step().value_or(false) && query->integer(0) == 1;
}

bool NameReader::has_index(const std::string& table) const {
  return is_one(
      fmt::format("SELECT count(*) > 0 FROM pragma_index_list({})", report::quoted_text(table)));
}

bool NameReader::has_row_number(const std::string& table) const {
  return is_one(
      fmt::format("SELECT count(*) FROM pragma_table_info({}) WHERE pk > 0 AND "
                  "name = 'id' AND type = 'INTEGER'",
                  report::quoted_text(table)));
}

std::uint32_t NameReader::leaf(const std::string& table, std::int64_t chain) {
  auto at = statements_.find(table);
  if (at == statements_.end()) {
    // Without a key there are no names, because each look-up would read the whole table.
    std::string sql = "SELECT NULL WHERE ? IS NULL";
    if (table == events::kSampleChainTable && has_row_number(table) &&
        has_row_number(events::kSampleFrameTable))
      sql = fmt::format(
          "SELECT f.symbol FROM {} AS c JOIN {} AS f ON f.id = json_extract(c.frames, '$[0]') "
          "WHERE c.id = ?",
          events::kSampleChainTable, events::kSampleFrameTable);
    else if (has_index(table))
      sql = fmt::format("SELECT symbol FROM {} WHERE id = ? AND stackDepth = 0",
                        report::quoted(table));
    auto query = reader_->prepare(sql);
    if (!query) return Names::kUnknown;
    at = statements_.emplace(table, std::move(*query)).first;
  }
  at->second.bind(1, chain);
  const auto row = at->second.step();
  const std::int64_t symbol = row && *row ? at->second.integer_or(0, -1) : -1;
  at->second.reset();
  return symbol < 0 ? Names::kUnknown : string(symbol);
}

}  // namespace prof::timeline
