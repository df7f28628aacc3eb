// Divides times of threads by the function that was sampled in them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::path {

class SampledFunctions {
 public:
  // Reads the samples of Python if the report has any, otherwise the samples of CPUs.
  static base::Result<SampledFunctions> read(const report::ReportReader& reader);

  // Calls visit(name, length) for each piece of a time: the innermost function of the sample that
  // is nearest to it, of the samples in that time. The name is empty if there are none. The
  // lengths add up to the length of the time.
  template <class Visit>
  void for_each(std::int64_t global_tid, std::int64_t start, std::int64_t end, Visit visit) const {
    const auto [first, last] = samples_in(global_tid, start, end);
    if (first == last) return visit(names_[0], end - start);
    for (const Sample* each = first; each != last; ++each) {
      const bool is_final = each + 1 == last;
      const std::int64_t until = is_final ? end : each->time + (each[1].time - each->time) / 2;
      if (until > start) visit(names_[each->name], until - start);
      start = until;
    }
  }

 private:
  struct Sample {
    std::int64_t time;
    std::uint32_t name;
  };

  base::Status read_python(const report::ReportReader& reader);
  base::Status read_native(const report::ReportReader& reader);
  std::uint32_t number(const std::string& name);
  std::pair<const Sample*, const Sample*> samples_in(std::int64_t global_tid, std::int64_t start,
                                                     std::int64_t end) const;

  std::map<std::int64_t, std::vector<Sample>> threads_;  // by globalTid, sorted by time
  std::vector<std::string> names_ = {""};
  std::map<std::string, std::uint32_t> numbers_;
};

}  // namespace prof::path
