// Times and memory of the timeline's model: timeline_model [--rows] [--threads N] REPORT...
// With --tables: "REPORT TABLE EVENTS DURATION", what the rows show of each table, and "message
// TEXT".
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exporters/viewer/timeline/timeline.hpp"

namespace {

using prof::timeline::Row;
using prof::timeline::RowStyle;
using prof::timeline::Snapshot;
using prof::timeline::Timeline;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// CPU time of all threads, s.
double cpu() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

// A line of /proc/self/status, MiB.
double memory(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == name + ":") {
      double kib = 0;
      status >> kib;
      return kib / 1024;
    }
  return 0;
}

// All tiles of one level in the middle of the report that a screen shows.
void time_tiles(const Snapshot& snapshot, int level) {
  const auto [start, end] = snapshot.span();
  const std::int64_t middle = start + (end - start) / 2;
  const std::int64_t index = middle / (std::int64_t{1024} << level);
  std::vector<double> times;
  std::size_t bytes = 0;
  double all = 0;
  for (const Row& row : snapshot.rows()) {
    const double before = now();
    bytes += snapshot.tile(row.id, level, index).size();
    times.push_back(now() - before);
    all += times.back();
  }
  std::sort(times.begin(), times.end());
  std::printf("level %2d: %7.2f ms for all rows, most for one %6.2f ms, %8.1f KiB\n", level,
              all * 1e3, times.empty() ? 0 : times.back() * 1e3, static_cast<double>(bytes) / 1024);
}

template <class Work>
void time_of(const char* name, Work work) {
  const double begin = cpu();
  const auto count = static_cast<unsigned long long>(work());
  std::printf("%s: %.2f ms of CPU time (%llu)\n", name, (cpu() - begin) * 1e3, count);
}

// What the page asks for besides tiles.
void time_requests(const Snapshot& snapshot) {
  using prof::timeline::Event;
  std::optional<Event> last;
  time_of("visit all", [&] {
    std::size_t events = 0;
    for (const Row& row : snapshot.rows())
      snapshot.visit(row.id, {}, [&](const Event& event) {
        if (event.has_links) last = event;
        ++events;
        return true;
      });
    return events;
  });
  prof::timeline::NameSet names;
  names.add(static_cast<std::uint32_t>(snapshot.names().size() / 2));
  time_of("first 100 of a name", [&] { return snapshot.find(names, {}, INT64_MIN, 100).total; });
  time_of("a name that no event has",
          [&] { return snapshot.find(prof::timeline::NameSet(), {}, INT64_MIN, 100).total; });
  if (!last) return;
  const std::string table = snapshot.row(last->row)->tables[last->source];
  time_of("links of an event", [&] { return snapshot.linked(*last).calls.size(); });
  time_of("event of a rowid",
          [&] { return snapshot.event_of(0, table, last->rowid).has_value() ? 1U : 0U; });
}

// Rows that show ranges and states a second time, or that are computed from events.
bool is_derived(const Row& row) {
  using prof::timeline::RowKind;
  return row.kind == RowKind::kNvtxGpu || row.kind == RowKind::kState ||
         row.style == RowStyle::kDensity;
}

void print_tables(const Snapshot& snapshot) {
  struct Sum {
    std::uint64_t events = 0;
    std::int64_t duration = 0;
  };
  std::map<std::pair<std::uint32_t, std::string>, Sum> sums;
  for (const Row& row : snapshot.rows()) {
    if (is_derived(row)) continue;
    if (row.style == RowStyle::kCounter && !row.tables.empty())
      sums[{row.report, row.tables[0] + " (curves)"}].events += row.events;
    snapshot.visit(row.id, {}, [&](const prof::timeline::Event& event) {
      Sum& sum = sums[{row.report, row.tables[event.source]}];
      ++sum.events;
      sum.duration += event.duration();
      return true;
    });
  }
  for (const auto& [key, sum] : sums)
    std::printf("%u\t%s\t%llu\t%lld\n", key.first, key.second.c_str(),
                static_cast<unsigned long long>(sum.events), static_cast<long long>(sum.duration));
  for (const std::string& message : snapshot.messages())
    std::printf("message\t%s\n", message.c_str());
}

void print_rows(const Snapshot& snapshot) {
  for (const Row& row : snapshot.rows())
    std::printf("%4u < %4u %-14s %-8s lanes %4u events %9llu duration %15lld %s [%s]%s\n", row.id,
                row.parent, prof::timeline::name_of(row.kind), prof::timeline::name_of(row.style),
                row.lanes, static_cast<unsigned long long>(row.events),
                static_cast<long long>(row.duration), row.name.c_str(), row.note.c_str(),
                row.exact ? "" : " sample");
  for (const std::string& message : snapshot.messages()) std::printf("%s\n", message.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<prof::timeline::OpenReport> reports;
  bool rows = false;
  bool tables = false;
  unsigned threads = 2;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--rows")
      rows = true;
    else if (argument == "--tables")
      tables = true;
    else if (argument == "--threads" && i + 1 < argc)
      threads = static_cast<unsigned>(std::atoi(argv[++i]));
    else
      reports.push_back({argument});
  }
  const double begin = now();
  auto timeline = Timeline::open(reports);
  if (!timeline) {
    std::fprintf(stderr, "%s\n", timeline.error().message.c_str());
    return 1;
  }
  if (tables) {
    (*timeline)->load(threads);
    (*timeline)->wait();
    print_tables(*(*timeline)->snapshot());
    return 0;
  }
  std::printf("sketch: %.3f s (%.3f s of CPU time)\n", now() - begin, cpu());
  (*timeline)->load(threads);
  (*timeline)->wait();
  std::printf("exact: %.3f s after the start (%.3f s of CPU time)\n", now() - begin, cpu());
  const auto snapshot = (*timeline)->snapshot();
  std::uint64_t events = 0;
  for (const Row& row : snapshot->rows())
    if (row.style != RowStyle::kDensity) events += row.events;
  const double most = memory("VmHWM");
  malloc_trim(0);
  std::printf("%zu rows, %llu events; memory %.1f MiB, at most %.1f MiB; %.1f bytes an event\n",
              snapshot->rows().size(), static_cast<unsigned long long>(events), memory("VmRSS"),
              most, events == 0 ? 0 : memory("VmRSS") * 1048576 / static_cast<double>(events));
  if (rows) print_rows(*snapshot);
  time_requests(*snapshot);
  const auto [start, end] = snapshot->span();
  for (int level = 0; level < 45; level += 4)
    if ((std::int64_t{1024} << level) / 16 < end - start) time_tiles(*snapshot, level);
  return 0;
}
