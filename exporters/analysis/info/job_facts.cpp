#include "exporters/analysis/info/job_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/tables/readable_units.hpp"

namespace prof::info {

namespace {

using report::Statement;

std::optional<std::int64_t> number_of(const Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return row.integer(column);
}

std::string numbers_text(const std::set<std::int64_t>& numbers) {
  if (numbers.size() == 1) return std::to_string(*numbers.begin());
  const bool is_range =
      *numbers.rbegin() - *numbers.begin() + 1 == static_cast<std::int64_t>(numbers.size());
  if (is_range) return fmt::format("{} to {}", *numbers.begin(), *numbers.rbegin());
  constexpr std::size_t kMaxShown = 8;
  std::string text;
  std::size_t shown = 0;
  for (const std::int64_t number : numbers) {
    if (++shown > kMaxShown) return text + fmt::format(" and {} more", numbers.size() - kMaxShown);
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  return text;
}

}  // namespace

base::Result<std::vector<Rank>> read_ranks(const report::ReportReader& reader) {
  std::vector<Rank> ranks;
  if (!reader.has_table("PROF_RANKS")) return ranks;
  const base::Status read = events::for_each_row(
      reader,
      "SELECT globalPid >> 24 & 0xffffff, rank, size, localRank, nodeRank, jobId, attempt, source, "
      "precedence FROM main.PROF_RANKS ORDER BY globalPid, precedence",
      [&](const Statement& row) {
        Rank rank;
        int column = 0;
        rank.pid = row.integer(column++);
        rank.rank = row.integer(column++);
        rank.size = number_of(row, column++);
        rank.local_rank = number_of(row, column++);
        rank.node_rank = number_of(row, column++);
        rank.job = row.text(column++);
        rank.attempt = number_of(row, column++);
        rank.source = row.text(column++);
        rank.precedence = row.integer(column);
        ranks.push_back(std::move(rank));
      });
  if (!read) return tl::make_unexpected(read.error());
  return ranks;
}

base::Result<std::optional<WallClock>> read_wall_clock(const report::ReportReader& reader) {
  std::optional<WallClock> clock;
  if (!reader.has_table("PROF_CLOCKS")) return clock;
  const base::Status read = events::for_each_row(
      reader,
      "SELECT isSynchronized, ntpMaxError, bootId, monotonicRaw - time, realtime - time FROM "
      "main.PROF_CLOCKS ORDER BY time DESC LIMIT 1",
      [&](const Statement& row) {
        clock = WallClock{row.integer(0) != 0, row.integer(1), std::string(row.text(2)),
                          row.integer(3), row.integer(4)};
      });
  if (!read) return tl::make_unexpected(read.error());
  return clock;
}

std::set<std::int64_t> missing_ranks(const std::set<std::int64_t>& present, std::int64_t size) {
  constexpr std::int64_t kMaxSize = 1 << 20;  // a larger one is not believed
  std::set<std::int64_t> missing;
  for (std::int64_t rank = 0; rank < std::min(size, kMaxSize); ++rank)
    if (!present.contains(rank)) missing.insert(rank);
  return missing;
}

std::string remark_on_ranks(std::string_view what, const std::set<std::int64_t>& ranks,
                            const std::string& job) {
  constexpr std::size_t kMaxShown = 20;
  std::vector<std::string> texts;
  for (const std::int64_t rank : ranks) {
    if (texts.size() == kMaxShown) {
      texts.push_back(fmt::format("and {} more", ranks.size() - kMaxShown));
      break;
    }
    texts.push_back(std::to_string(rank));
  }
  return fmt::format("{}: rank {}{}.", what, fmt::join(texts, ", "),
                     job.empty() ? "" : " of job " + job);
}

std::string ranks_text(const std::vector<Rank>& ranks) {
  std::set<std::int64_t> numbers;
  const Rank* first = nullptr;
  for (const Rank& rank : ranks) {
    if (rank.precedence != 0) continue;
    if (first == nullptr) first = &rank;
    numbers.insert(rank.rank);
  }
  if (first == nullptr) return {};
  std::string text = numbers_text(numbers);
  if (first->size) text += fmt::format(" of {}", *first->size);
  text += fmt::format(" ({})", first->source);
  if (!first->job.empty()) text += fmt::format(", job {}", first->job);
  if (first->attempt.value_or(0) > 0) text += fmt::format(", attempt {}", *first->attempt);
  return text;
}

std::string wall_clock_text(const WallClock& clock) {
  if (!clock.is_synchronized) return "not synchronized";
  return fmt::format(
      "synchronized within {}",
      tables::readable_text(clock.max_error, tables::Measure::kDuration).value_or("?"));
}

}  // namespace prof::info
