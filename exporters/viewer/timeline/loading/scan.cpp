#include "exporters/viewer/timeline/loading/scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "exporters/analysis/events/rows.hpp"

namespace prof::timeline {

namespace {

constexpr std::int64_t kBlockRows = 16;

// Returns the key of the row for all threads or streams of a process without a separate row.
RowKey shared_key(const RowKey& key, TreeLevel place) {
  switch (place) {
    case TreeLevel::kThread:
    case TreeLevel::kDomain:
      return {{key.ids[0] | kOthers, 0, 0, 0}};
    case TreeLevel::kStream:
      return {{key.ids[0], 0, 0, kOthers}};
    default:
      return {};
  }
}

// Sorts the rows of a scan into rows of the timeline.
class Collector {
 public:
  Collector(const ScanPart& part, ScanContext& context, Collected& collected)
      : part_(part), context_(context), collected_(collected) {}

  void add(const report::Row& row) {
    const std::int64_t start = row.integer_or(1, INT64_MAX);
    Reading event;
    part_.source->read(row, context_, event);
    const bool is_open = part_.source->open_ends && (row.is_null(2) || event.is_open);
    const events::Times times{start, is_open ? start : row.integer_or(2, INT64_MIN)};
    if (!event.is_event) return;
    if (!times.is_valid()) {
      ++collected_.faulty;
      return;
    }
    collected_.latest = std::max(collected_.latest, times.end);
    RawEvent raw{
        times.start,       times.end,    event.name, part_.ids->id(row.integer(0), part_.part),
        event.correlation, part_.number, event.flags};
    Collected::Events& events = events_of(event.key);
    const auto layout = static_cast<std::size_t>(event.layout);
    if (is_open && (event.flags & kInstant) == 0) {
      raw.flags |= kOpenEnd;
      events.open[layout].push_back(raw);
    } else {
      events.sections[layout].add(raw);
    }
  }

 private:
  Collected::Events& events_of(const RowKey& key) {
    if (last_ == nullptr || !(last_key_ == key)) {
      last_ = &find_or_make(key);
      last_key_ = key;
    }
    return *last_;
  }
  Collected::Events& find_or_make(const RowKey& key) {
    auto& rows = collected_.rows;
    if (rows.size() < kMaxRows) return rows[key];
    const auto known = rows.find(key);
    if (known != rows.end()) return known->second;
    const bool is_hopeless = rows.size() >= 2 * kMaxRows;
    return rows[is_hopeless ? RowKey() : shared_key(key, part_.place)];
  }

  const ScanPart& part_;
  ScanContext& context_;
  Collected& collected_;
  RowKey last_key_;
  Collected::Events* last_ = nullptr;
};

std::string columns_of(const Source& source) {
  return fmt::format("row.rowid, {}, {}, {}", source.start, source.end, source.columns);
}

// Scans a part. `before` is the SQL before the table's name.
base::Status scan(const report::ReportReader& reader, const ScanPart& part,
                  const std::string& before, const std::string& condition, ScanContext& context,
                  Collected& collected) {
  const Source& source = *part.source;
  // The plus prevents SQLite from making an index for the condition, and from reading by it.
  const std::string also = source.condition.empty() ? "" : " AND +(" + source.condition + ")";
  Collector collector(part, context, collected);
  return report::scan_sql(reader, columns_of(source),
                          fmt::format("{}main.{} AS row WHERE {}{}", before,
                                      report::quoted(source.table), condition, also),
                          [&](const report::Row& row) { collector.add(row); });
}

}  // namespace

void Collected::append(Collected&& other) {
  for (auto& [key, events] : other.rows) {
    Events& into = rows[key];
    for (std::size_t i = 0; i < kLayouts; ++i) {
      into.sections[i].append(std::move(events.sections[i]));
      std::move(events.open[i].begin(), events.open[i].end(), std::back_inserter(into.open[i]));
    }
  }
  domains.merge(other.domains);
  faulty += other.faulty;
  latest = std::max(latest, other.latest);
}

base::Result<RowRange> rows_of(const report::ReportReader& reader, const std::string& table) {
  // Two queries are used, because SQLite finds either end of a table at once, but not both.
  RowRange range;
  for (const char* which : {"min", "max"}) {
    auto query =
        reader.prepare(fmt::format("SELECT {}(rowid) FROM main.{}", which, report::quoted(table)));
    if (!query) return tl::make_unexpected(query.error());
    const auto row = query->step();
    if (!row) return tl::make_unexpected(reader.last_error());
    if (!*row || query->is_null(0)) return RowRange{};
    (*which == 'm' && which[1] == 'i' ? range.first : range.last) = query->integer(0);
  }
  return range;
}

base::Status scan_part(const report::ReportReader& reader, const ScanPart& part,
                       ScanContext& context, Collected& collected) {
  return scan(reader, part, "",
              fmt::format("row.rowid BETWEEN {} AND {}", part.rows.first, part.rows.last), context,
              collected);
}

base::Status scan_sample(const report::ReportReader& reader, const ScanPart& part, int blocks,
                         ScanContext& context, Collected& collected) {
  const auto size =
      static_cast<std::uint64_t>(part.rows.last) - static_cast<std::uint64_t>(part.rows.first) + 1;
  const std::string from = fmt::format(
      "(WITH RECURSIVE block(at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM block WHERE at < {}) "
      "SELECT {} + at * {} AS prof_first FROM block) CROSS JOIN ",
      blocks - 1, part.rows.first, size / static_cast<std::uint64_t>(blocks));
  return scan(reader, part, from,
              fmt::format("row.rowid BETWEEN prof_first AND prof_first + {}", kBlockRows - 1),
              context, collected);
}

}  // namespace prof::timeline
