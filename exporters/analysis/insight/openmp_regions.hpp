// The parallel regions of OpenMP in a report, prof's or nsys's: how evenly their threads were busy,
// and how long these waited in barriers.
//
// LLVM's runtime lets the threads of a region wait in its last barrier until the next region
// begins, and reports the end of that wait only then. Here each wait ends with its region.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::insight {

// The place of a construct in the program. Nothing is known of it in nsys's reports.
struct OpenMpSite {
  std::string function;  // empty: unknown
  std::string file;      // empty: unknown
  std::int64_t line = 0;
  std::string module;

  // Returns "app.c:12", or what else is known.
  std::string text() const;
};

// One execution of a parallel region. Times are in ns.
struct OpenMpRegion {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t global_tid = 0;  // of the thread that began it
  std::int64_t site = 0;        // in OpenMpRegions::sites; 0: unknown
  bool is_nested = false;       // a task of another region began it
  std::int64_t threads = 0;
  std::int64_t thread_time = 0;  // of all threads in the region
  std::int64_t barriers = 0;     // of that, in barriers
  // Time outside of barriers and taskwait: of all threads, and of the busiest one.
  std::int64_t work = 0;
  std::int64_t longest_work = 0;

  std::int64_t duration() const { return end - start; }
  // Returns how long the region would take if its threads shared the work evenly.
  double even_work() const {
    return threads == 0 ? 0 : static_cast<double>(work) / static_cast<double>(threads);
  }
};

// Waits for locks and critical regions.
struct OpenMpWaits {
  std::int64_t count = 0;
  std::int64_t time = 0;  // ns, of all threads
  std::int64_t longest = 0;
  std::int64_t longest_start = 0;
  std::int64_t longest_tid = 0;  // globalTid
};

// What a thread did of a barrier, taskwait or taskgroup within a region.
struct OpenMpBarrier {
  std::int64_t name = 0;         // StringIds.id: what it is
  std::int64_t site = 0;         // 0: unknown, as below
  std::int64_t region_site = 0;  // of its region
  std::int64_t global_tid = 0;
  std::int64_t time = 0;  // ns
};

struct OpenMpRegions {
  std::vector<OpenMpRegion> regions;  // in the order of the report
  std::map<std::int64_t, OpenMpSite> sites;
  std::map<std::int64_t, OpenMpWaits> waits;  // by site; 0: unknown

  // Returns what is known of a site.
  OpenMpSite site(std::int64_t id) const {
    const auto found = sites.find(id);
    return found == sites.end() ? OpenMpSite() : found->second;
  }
};

// Empty if the report has no parallel regions.
base::Result<OpenMpRegions> read_openmp_regions(const report::ReportReader& reader);

// The same, and calls `visit` for each barrier.
base::Result<OpenMpRegions> read_openmp_barriers(
    const report::ReportReader& reader, const std::function<void(const OpenMpBarrier&)>& visit);

}  // namespace prof::insight
