#include "exporters/analysis/insight/openmp_regions.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/events/sums.hpp"

namespace prof::insight {

namespace {

constexpr std::int64_t kTaskwait = 5;  // ENUM_OPENMP_SYNC_REGION
constexpr std::int64_t kTaskgroup = 6;

class RegionReader {
 public:
  // `visit` may be empty.
  RegionReader(const report::ReportReader& reader, std::function<void(const OpenMpBarrier&)> visit)
      : reader_(reader), visit_(std::move(visit)) {}

  base::Result<OpenMpRegions> read() {
    if (!reader_.has_table(events::kOpenMpParallelTable)) return OpenMpRegions();
    for (const auto part :
         {&RegionReader::read_regions, &RegionReader::read_tasks, &RegionReader::read_barriers,
          &RegionReader::read_mutexes, &RegionReader::read_sites})
      if (const base::Status done = (this->*part)(); !done)
        return tl::make_unexpected(done.error());
    for (const auto& [key, work] : work_) {
      OpenMpRegion& region = found_.regions[key.first];
      const std::int64_t done = std::max<std::int64_t>(work, 0);
      ++region.threads;
      region.work = events::sum(region.work, done);
      region.longest_work = std::max(region.longest_work, done);
    }
    return std::move(found_);
  }

 private:
  base::Status read_regions() {
    return events::for_each_event(
        reader_,
        {events::kOpenMpParallelTable,
         {"globalTid", "parallelId", "parentTaskId",
          report::column_or(reader_, events::kOpenMpParallelTable, "codeId")}},
        [&](const events::Times& times, const report::Row& row) {
          OpenMpRegion region;
          region.start = times.start;
          region.end = times.end;
          region.global_tid = row.integer_or(0, 0);
          region.is_nested = row.integer_or(2, 0) != 0;
          region.site = row.integer_or(3, 0);
          by_id_[{events::process_of(region.global_tid), row.integer_or(1, 0)}] =
              found_.regions.size();
          found_.regions.push_back(region);
        });
  }

  // Calls `add(index of the region, thread, time in ns, row)` for what a thread did in a region.
  template <class Add>
  base::Status for_each_part(const char* table, Add add) {
    if (!reader_.has_table(table)) return {};
    return events::for_each_event(
        reader_,
        {table,
         {"globalTid", "parallelId", "kind", report::column_or(reader_, table, "nameId"),
          report::column_or(reader_, table, "codeId")}},
        [&](const events::Times& times, const report::Row& row) {
          const std::int64_t tid = row.integer_or(0, 0);
          const auto at = by_id_.find({events::process_of(tid), row.integer_or(1, 0)});
          if (at == by_id_.end()) return;
          const OpenMpRegion& region = found_.regions[at->second];
          const std::int64_t time =
              std::min(times.end, region.end) - std::max(times.start, region.start);
          if (time >= 0) add(at->second, tid, time, row);
        });
  }

  base::Status read_tasks() {
    return for_each_part(events::kOpenMpTaskTable, [this](std::size_t index, std::int64_t tid,
                                                          std::int64_t time, const report::Row&) {
      OpenMpRegion& region = found_.regions[index];
      region.thread_time = events::sum(region.thread_time, time);
      std::int64_t& work = work_[{index, tid}];
      work = events::sum(work, time);
    });
  }

  base::Status read_barriers() {
    return for_each_part(
        events::kOpenMpSyncTable,
        [this](std::size_t index, std::int64_t tid, std::int64_t time, const report::Row& row) {
          OpenMpRegion& region = found_.regions[index];
          const std::int64_t kind = row.integer_or(2, 0);
          if (visit_)
            visit_({row.integer_or(3, events::Strings::kNone), row.integer_or(4, 0), region.site,
                    tid, time});
          // What a taskgroup has besides waits is not known.
          if (kind == kTaskgroup) return;
          if (kind != kTaskwait) region.barriers = events::sum(region.barriers, time);
          if (const auto at = work_.find({index, tid}); at != work_.end()) at->second -= time;
        });
  }

  base::Status read_mutexes() {
    if (!reader_.has_table(events::kOpenMpMutexTable)) return {};
    return events::for_each_event(
        reader_,
        {events::kOpenMpMutexTable,
         {"globalTid", report::column_or(reader_, events::kOpenMpMutexTable, "codeId")}},
        [&](const events::Times& times, const report::Row& row) {
          OpenMpWaits& waits = found_.waits[row.integer_or(1, 0)];
          ++waits.count;
          waits.time = events::sum(waits.time, times.duration());
          if (times.duration() < waits.longest) return;
          waits.longest = times.duration();
          waits.longest_start = times.start;
          waits.longest_tid = row.integer_or(0, 0);
        });
  }

  base::Status read_sites() {
    if (!reader_.has_table(events::kOpenMpCodeTable)) return {};
    events::Strings strings(reader_, "");
    return events::for_each_row(
        reader_, "SELECT id, function, file, line, module FROM PROF_OPENMP_CODE",
        [&](const report::Statement& row) {
          const auto text = [&](int column) {
            return row.is_null(column) ? std::string() : strings.text(row.integer(column));
          };
          found_.sites[row.integer(0)] = {text(1), text(2), row.is_null(3) ? 0 : row.integer(3),
                                          text(4)};
        });
  }

  const report::ReportReader& reader_;
  const std::function<void(const OpenMpBarrier&)> visit_;
  OpenMpRegions found_;
  // Regions by process and parallelId.
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> by_id_;
  // By region and globalTid.
  std::map<std::pair<std::size_t, std::int64_t>, std::int64_t> work_;
};

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::string OpenMpSite::text() const {
  if (!file.empty() && line > 0) return file_name(file) + ":" + std::to_string(line);
  if (!function.empty()) return function;
  return module.empty() ? "[Unknown]" : file_name(module);
}

base::Result<OpenMpRegions> read_openmp_regions(const report::ReportReader& reader) {
  return RegionReader(reader, {}).read();
}

base::Result<OpenMpRegions> read_openmp_barriers(
    const report::ReportReader& reader, const std::function<void(const OpenMpBarrier&)>& visit) {
  return RegionReader(reader, visit).read();
}

}  // namespace prof::insight
