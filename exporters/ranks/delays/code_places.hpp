// Which code a thread executes, by the samples of its report.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/program/cpu_facts.hpp"
#include "exporters/analysis/analyze/program/rules/code_sums.hpp"
#include "exporters/analysis/events/call_chains/code_lines.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::ranks {

// Returns the source lines of a report's native code, or null.
using FindLines =
    std::function<std::shared_ptr<const events::CodeLines>(const report::ReportReader& reader)>;

class CodePlaces {
 public:
  // `find_lines` may be empty.
  static base::Result<CodePlaces> read(const report::ReportReader& reader,
                                       const FindLines& find_lines);

  // Returns the function that most samples of the thread in these times are in, with its line:
  // "parse (/home/me/data.py:15)". It is the nearest one that the user wrote, if there is one.
  // Empty if there are no samples.
  std::string code_of(std::int64_t global_tid, const std::vector<insight::Interval>& times) const;
  // Returns the function that made the call which the thread was in at that time, or that it made
  // most calls of these times from, if it is Python's.
  std::string caller_of(std::int64_t global_tid, const std::vector<insight::Interval>& times,
                        std::int64_t time);

 private:
  struct Sums;

  CodePlaces(std::shared_ptr<const events::CodeLines> lines, analyze::CpuFacts facts);
  // Returns the index of the thread in facts_, or CpuFacts::kNone.
  std::uint32_t thread_of(std::int64_t global_tid) const;
  void add_native(std::uint32_t thread, const insight::Interval& time, Sums& sums) const;
  void add_python(std::uint32_t thread, const insight::Interval& time, Sums& sums) const;
  void add_python(analyze::Node node, Sums& sums) const;

  std::shared_ptr<const events::CodeLines> lines_;  // facts_ uses it
  analyze::CpuFacts facts_;
  std::vector<analyze::Node> own_native_;  // by node: the nearest one of the user's code
  std::vector<analyze::Node> own_python_;
};

}  // namespace prof::ranks
