// Links calls with the GPU work that they launched.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::formats {

// Links calls and GPU work. It needs 24 bytes for each piece of work, and none for calls. All calls
// must be passed before the work.
class GpuLinks {
 public:
  static base::Result<GpuLinks> read(const report::ReportReader& reader);

  // Calls `visit(link)` for each piece of work that the call launched. Links are numbered from 1.
  // Work that starts before the call, by the GPU's clock, has no link to it.
  template <class Visit>
  void launch(std::int64_t process, std::int64_t correlation, std::int64_t start, Visit visit) {
    for (std::size_t at = find(process, correlation);
         at < works_.size() && works_[at].is_of(process, correlation); ++at) {
      if (works_[at].start < start || works_[at].is_launched) continue;
      works_[at].is_launched = true;
      visit(at + 1);
    }
  }
  // Returns the link of a piece of work whose call was passed, or 0. Each link is returned once.
  std::uint64_t work(std::int64_t process, std::int64_t correlation, std::int64_t start);

  // Returns a number for the link in the format of PyTorch's profiler, by which readers find the
  // work of a call. It is the correlation id if the link is to the first piece of work of a call
  // and all work is of one process; otherwise it is another unique number.
  std::uint64_t correlation_or_other(std::uint64_t link) const {
    constexpr std::uint64_t kAboveCorrelations = std::uint64_t{1} << 32;
    const Work& work = works_[link - 1];
    const bool is_first = link == 1 || !works_[link - 2].is_of(work.process, work.correlation);
    const bool is_one_process = works_.front().process == works_.back().process;
    if (!is_first || !is_one_process || work.correlation < 0) return kAboveCorrelations + link;
    return static_cast<std::uint64_t>(work.correlation);
  }

 private:
  struct Work {
    std::int64_t correlation;
    std::int64_t start;
    std::uint32_t process;  // process_of() without the bits of hardware and VM
    bool is_launched;
    bool is_of(std::int64_t of_process, std::int64_t of_correlation) const {
      return correlation == of_correlation && process == static_cast<std::uint32_t>(of_process);
    }
  };

  std::size_t find(std::int64_t process, std::int64_t correlation);

  std::vector<Work> works_;  // sorted by process, correlation and start
  std::size_t hint_ = 0;
};

}  // namespace prof::formats
