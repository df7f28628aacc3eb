#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/messages/failure.hpp"
#include "cli/top/top_snapshot.hpp"
#include "exporters/analysis/events/selection/thinning.hpp"

namespace prof::cli {

namespace {

constexpr double kPerSecond = 1e-9;  // converts nanoseconds to seconds

// The query of a kind gives names, starts, ends, devices, and at {} the number of events that a row
// stands for. `table` has to exist.
struct TopQuery {
  TopKind kind;
  const char* table;
  const char* sql;
};

constexpr TopQuery kQueries[] = {
    {TopKind::kKernels, "CUPTI_ACTIVITY_KIND_KERNEL",
     "SELECT s.value, start, end, deviceId, {} FROM CUPTI_ACTIVITY_KIND_KERNEL "
     "JOIN StringIds s ON s.id = shortName"},
    {TopKind::kKernels, "CUPTI_ACTIVITY_KIND_MEMCPY",
     "SELECT CASE copyKind WHEN 1 THEN '[memcpy Host-to-Device]' WHEN 2 THEN '[memcpy "
     "Device-to-Host]' WHEN 8 THEN '[memcpy Device-to-Device]' WHEN 10 THEN '[memcpy "
     "Peer-to-Peer]' ELSE '[memcpy]' END, start, end, deviceId, {} FROM "
     "CUPTI_ACTIVITY_KIND_MEMCPY"},
    {TopKind::kKernels, "CUPTI_ACTIVITY_KIND_MEMSET",
     "SELECT '[memset]', start, end, deviceId, {} FROM CUPTI_ACTIVITY_KIND_MEMSET"},
    {TopKind::kApi, "CUPTI_ACTIVITY_KIND_RUNTIME",
     "SELECT s.value, start, end, -1, {} FROM CUPTI_ACTIVITY_KIND_RUNTIME "
     "JOIN StringIds s ON s.id = nameId"},
    {TopKind::kRanges, "NVTX_EVENTS",
     "SELECT COALESCE(text, s.value), start, end, -1, {} FROM NVTX_EVENTS "
     "LEFT JOIN StringIds s ON s.id = textId "
     "WHERE eventType IN (59, 60) AND end IS NOT NULL AND COALESCE(isOpen, 0) = 0"},
    {TopKind::kOs, "OSRT_API",
     "SELECT s.value, start, end, -1, {} FROM OSRT_API JOIN StringIds s ON s.id = nameId"}};

// The duration of a row. In a recording with --max-overhead the row stands for `count` events.
struct Duration {
  double ns;
  std::uint64_t count;
};

struct Durations {
  std::vector<Duration> all;
  std::uint64_t count = 0;
  double inside = 0;  // ns within the covered time
};

// Returns the duration at a fraction of all `count` events.
double rank(const std::vector<Duration>& sorted, std::uint64_t count, double fraction) {
  const auto last = static_cast<double>(count - 1);
  auto before = static_cast<std::uint64_t>(std::llround(last * fraction));
  auto each = sorted.begin();
  for (; before >= each->count; ++each) before -= each->count;
  return each->ns;
}

using ByName = std::map<std::string, Durations, std::less<>>;

void add_rows(const ByName& names, double seconds, std::vector<TopRow>& rows) {
  constexpr double kHalf = 0.5, kMaximum = 0.99;
  for (const auto& [name, durations] : names) {
    std::vector<Duration> sorted = durations.all;
    std::ranges::sort(sorted, {}, &Duration::ns);
    const std::uint64_t count = durations.count;
    rows.push_back({name, count, durations.inside * kPerSecond / seconds,
                    rank(sorted, count, kHalf), rank(sorted, count, kMaximum), sorted.back().ns});
  }
}

// Sums up the time of each GPU in which at least one activity ran.
class BusyTimes {
 public:
  void add(std::int64_t device, double begin, double end) {
    if (device >= 0 && end > begin) spans_[device].emplace_back(begin, end);
  }
  std::vector<TopGpu> shares(double seconds) {
    std::vector<TopGpu> gpus;
    for (auto& [device, spans] : spans_) {
      std::ranges::sort(spans);
      double busy = 0, until = 0;
      for (const auto& [begin, end] : spans) {
        busy += std::max(0.0, end - std::max(begin, until));
        until = std::max(until, end);
      }
      gpus.push_back({device, busy * kPerSecond / seconds});
    }
    return gpus;
  }

 private:
  std::map<std::int64_t, std::vector<std::pair<double, double>>> spans_;
};

void read_python(const report::ReportReader& reader, TopSnapshot& snapshot) {
  if (!reader.has_table("PROF_PYTHON_SAMPLES") || !reader.has_table("PROF_PYTHON_CALLCHAINS"))
    return;
  auto query = cli::take(reader.prepare(
      "SELECT f.value || ' (' || m.value || ')', count(*) FROM PROF_PYTHON_SAMPLES "
      "JOIN PROF_PYTHON_CALLCHAINS c ON c.id = callchainId AND c.stackDepth = 0 "
      "JOIN StringIds f ON f.id = c.symbol JOIN StringIds m ON m.id = c.module GROUP BY 1"));
  auto& rows = snapshot.rows[static_cast<std::size_t>(TopKind::kPython)];
  std::uint64_t all = 0;
  while (cli::take(query.step())) {
    const auto count = static_cast<std::uint64_t>(query.integer(1));
    rows.push_back({std::string(query.text(0)), count, 0, 0, 0, 0});
    all += count;
  }
  for (TopRow& each : rows) each.share = static_cast<double>(each.count) / static_cast<double>(all);
}

}  // namespace

void read_top_rows(const report::ReportReader& reader, double seconds, TopSnapshot& snapshot) {
  std::array<ByName, kTopKinds> names;
  BusyTimes busy;
  const double length = seconds / kPerSecond;
  for (const TopQuery& each : kQueries) {
    if (!reader.has_table(each.table)) continue;
    const bool has_weights = events::has_weights(reader, each.table);
    auto query = cli::take(
        reader.prepare(fmt::format(fmt::runtime(each.sql), has_weights ? "max(weight, 1)" : "1")));
    auto& of_kind = names[static_cast<std::size_t>(each.kind)];
    while (cli::take(query.step())) {
      const auto start = static_cast<double>(query.integer(1));
      const auto end = static_cast<double>(query.integer(2));
      if (end < start || end <= 0 || start >= length) continue;
      const double first = std::max(start, 0.0), last = std::min(end, length);
      Durations& durations = of_kind[std::string(query.text(0))];
      const auto count = static_cast<std::uint64_t>(query.integer(4));
      durations.all.push_back({end - start, count});
      durations.count += count;
      durations.inside += (last - first) * static_cast<double>(count);
      busy.add(query.integer(3), first, last);
    }
  }
  for (std::size_t kind = 0; kind < kTopKinds; ++kind)
    add_rows(names[kind], seconds, snapshot.rows[kind]);
  read_python(reader, snapshot);
  snapshot.gpus = busy.shares(seconds);
}

}  // namespace prof::cli
