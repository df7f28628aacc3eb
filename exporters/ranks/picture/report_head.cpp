#include "exporters/ranks/picture/report_head.hpp"

#include <utility>

#include "exporters/analysis/events/report_views.hpp"
#include "exporters/ranks/numbers.hpp"
#include "exporters/ranks/partial_file.hpp"

namespace prof::ranks {

using base::Result;

namespace {

using OptionalNumber = std::optional<std::int64_t>;

void append_optional(std::string& bytes, const OptionalNumber& number) {
  append_number(bytes, number ? 1 : 0);
  if (number) append_number(bytes, static_cast<std::uint64_t>(*number));
}

void append_rank(std::string& bytes, const ReportRank& rank) {
  append_text(bytes, rank.unit.job);
  append_optional(bytes, rank.unit.rank);
  append_text(bytes, rank.unit.node);
  append_text(bytes, rank.unit.report);
  append_number(bytes, static_cast<std::uint64_t>(rank.attempt));
  append_optional(bytes, rank.size);
  append_number(bytes, rank.processes ? 1 : 0);
  if (!rank.processes) return;
  append_number(bytes, rank.processes->size());
  for (const std::int64_t process : *rank.processes)
    append_number(bytes, static_cast<std::uint64_t>(process));
}

// Reads the parts of a head. After an error all that it returns is empty.
class HeadReader {
 public:
  explicit HeadReader(std::string_view bytes) : rest_(bytes) {}

  Result<ReportHead> head() {
    ReportHead head;
    for (std::uint64_t ranks = number(); ranks > 0 && failed_.empty(); --ranks) {
      head.ranks.push_back(rank());
      head.ranks.back().place = head.ranks.size() - 1;
      auto picture = read_picture(rest_);
      if (!picture) return tl::make_unexpected(picture.error());
      head.pictures.push_back(*std::move(picture));
    }
    head.clock.node = text();
    if (number() != 0) {
      std::string boot = text();
      head.clock.machine = {std::move(boot), integer()};
    }
    head.clock.utc_start = optional();
    head.clock.duration = integer();
    if (failed_.empty() && !rest_.empty()) failed_ = "the head of a report is too long";
    if (!failed_.empty()) return base::fail(failed_);
    return head;
  }

 private:
  template <class T>
  T value_of(Result<T> read) {
    if (read) return *std::move(read);
    if (failed_.empty()) failed_ = read.error().message;
    rest_ = {};
    return {};
  }
  std::uint64_t number() { return value_of(read_number(rest_)); }
  std::int64_t integer() { return static_cast<std::int64_t>(number()); }
  std::string text() { return value_of(read_text(rest_)); }
  OptionalNumber optional() { return number() != 0 ? OptionalNumber(integer()) : std::nullopt; }

  ReportRank rank() {
    ReportRank rank;
    rank.unit.job = text();
    rank.unit.rank = optional();
    rank.unit.node = text();
    rank.unit.report = text();
    rank.attempt = integer();
    rank.size = optional();
    if (number() != 0) {
      rank.processes.emplace();
      for (std::uint64_t count = number(); count > 0 && failed_.empty(); --count)
        rank.processes->push_back(integer());
    }
    return rank;
  }

  std::string_view rest_;
  std::string failed_;
};

Result<ReportHead> head_of_events(const std::string& report) {
  const auto reader = report::ReportReader::open(report);
  if (!reader) return tl::make_unexpected(reader.error());
  auto head = read_head(*reader);
  if (!head) return head;
  if (const base::Status finished = reader->finish(); !finished)
    return tl::make_unexpected(finished.error());
  return head;
}

}  // namespace

Result<ReportHead> read_head(const report::ReportReader& reader) {
  ReportHead head;
  auto ranks = ranks_of(reader);
  if (!ranks) return tl::make_unexpected(ranks.error());
  head.ranks = *std::move(ranks);
  for (const ReportRank& rank : head.ranks) {
    report::EventFilter of_rank;
    of_rank.processes = rank.processes;
    if (const base::Status made = events::make_views(reader, of_rank); !made)
      return tl::make_unexpected(made.error());
    auto picture = read_picture(reader, rank);
    if (!picture) return tl::make_unexpected(picture.error());
    head.pictures.push_back(*std::move(picture));
  }
  auto clock = read_report_clock(reader, head.ranks, false);
  if (!clock) return tl::make_unexpected(clock.error());
  head.clock = *std::move(clock);
  head.clock.readings.clear();
  return head;
}

Result<ReportHead> read_or_make_head(const std::string& report) {
  auto head = read_partial_head(report);
  if (!head) head = head_of_events(report);
  if (head) head->clock.path = report;
  return head;
}

std::string bytes_of(const ReportHead& head) {
  std::string bytes;
  append_number(bytes, head.ranks.size());
  for (std::size_t i = 0; i < head.ranks.size(); ++i) {
    append_rank(bytes, head.ranks[i]);
    append_picture(bytes, head.pictures[i]);
  }
  append_text(bytes, head.clock.node);
  append_number(bytes, head.clock.machine ? 1 : 0);
  if (head.clock.machine) {
    append_text(bytes, head.clock.machine->boot);
    append_number(bytes, static_cast<std::uint64_t>(head.clock.machine->origin));
  }
  append_optional(bytes, head.clock.utc_start);
  append_number(bytes, static_cast<std::uint64_t>(head.clock.duration));
  return bytes;
}

Result<ReportHead> head_of(std::string_view bytes) { return HeadReader(bytes).head(); }

}  // namespace prof::ranks
