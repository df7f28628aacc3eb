// Makes the start page of a report in the background, part by part.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/events/call_chains/code_lines.hpp"
#include "exporters/analysis/info/report_info.hpp"
#include "exporters/viewer/answers/answers.hpp"
#include "exporters/viewer/answers/summary/places.hpp"
#include "exporters/viewer/timeline/timeline.hpp"

namespace prof::view {

class SummaryJob {
 public:
  // Starts a thread. It shows findings when the timeline is loaded, because their places are rows
  // and events of the timeline.
  SummaryJob(ServedReport report, std::uint32_t number,
             std::shared_ptr<timeline::Timeline> timeline, events::RangeOf range_of);
  ~SummaryJob();  // stops the job
  SummaryJob(const SummaryJob&) = delete;
  SummaryJob& operator=(const SummaryJob&) = delete;

  // Returns the JSON document. Parts that are not ready are null, and "exact" is false.
  std::string document() const;
  // Waits until all parts are ready or have failed.
  void wait() const;
  // Returns the source lines of native code, or null until they are found or if there are none.
  std::shared_ptr<const events::CodeLines> lines() const;

 private:
  void run();
  // Makes the parts. Returns why parts are missing, or an empty text.
  std::string make();
  base::Status make_parts(const report::ReportReader& reader);
  base::Status add_lists(const report::ReportReader& reader, const Places& places,
                         bool has_gpu_work);
  std::shared_ptr<const events::CodeLines> find_lines(const report::ReportReader& reader);
  void put(const char* part, std::string json);

  ServedReport report_;
  std::uint32_t number_;
  std::shared_ptr<timeline::Timeline> timeline_;
  events::RangeOf range_of_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<std::string, std::string, std::less<>> parts_;
  std::shared_ptr<const events::CodeLines> lines_;
  std::string fault_;  // why parts are missing; empty: no part failed
  bool done_ = false;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

}  // namespace prof::view
