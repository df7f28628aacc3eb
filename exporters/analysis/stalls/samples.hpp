// Reads the PC samples of a report: at which instructions warps were, and what they waited for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/stalls/reasons.hpp"

namespace prof::stalls {

struct Count {
  std::int64_t samples = 0;
  std::int64_t not_issued = 0;  // samples at which the scheduler issued no instruction
};

// Samples by stall reason.
class Sum {
 public:
  void add(std::int64_t reason, const Count& count);
  void add(const Sum& other);

  const Count& total() const { return total_; }
  const std::map<std::int64_t, Count>& by_reason() const { return by_reason_; }  // StringIds.id
  // The share of the samples at which the scheduler issued an instruction of some warp. This is
  // close to the share of cycles with an issued instruction.
  double issued() const;

 private:
  Count total_;
  std::map<std::int64_t, Count> by_reason_;
};

// An instruction with samples.
struct Instruction {
  std::int64_t cubin;     // PROF_CUBINS.crc
  std::int64_t function;  // StringIds.id of the mangled name
  std::uint64_t offset;   // in the function
  Sum sum;
};

// Returns the instructions that the filter of the views selects, by function, cubin and offset.
base::Result<std::vector<Instruction>> read_instructions(const report::ReportReader& reader);

// Knows the names of reasons.
class ReasonNames {
 public:
  explicit ReasonNames(const report::ReportReader& reader) : reader_(&reader) {}
  const std::string& name(std::int64_t reason);
  Cause cause(std::int64_t reason) { return reason_of(name(reason)).cause; }

  struct Main {
    std::int64_t reason = -1;  // -1: none
    std::int64_t samples = 0;
  };
  // Returns the most frequent reason other than `selected`.
  Main main_of(const Sum& sum);
  // Returns the most frequent reason with a cause.
  Main main_of(const Sum& sum, Cause cause);
  std::int64_t samples_of(const Sum& sum, Cause cause);

 private:
  const report::ReportReader* reader_;
  std::map<std::int64_t, std::string> names_;
};

}  // namespace prof::stalls
