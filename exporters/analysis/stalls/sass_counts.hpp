// SASS metrics of a report: what source lines do in profiled launches.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::stalls {

inline constexpr const char* kSassTable = "PROF_SASS_COUNTS";

// What an instruction or a line did in a launch. What was not counted is 0.
struct SassCounts {
  std::int64_t executed = 0;         // by warps
  std::int64_t thread_executed = 0;  // by threads, whatever the predicate
  std::int64_t thread_true = 0;      // by threads whose predicate was true
  std::int64_t divergent = 0;        // branches at which the threads of a warp part
  std::int64_t uniform = 0;
  std::int64_t requests = 0;  // of global memory, by warps
  std::int64_t tags = 0;      // lookups in L1 for global memory
  std::int64_t sectors = 0;   // of global memory
  std::int64_t sectors_ideal = 0;
  std::int64_t local_sectors = 0;
  std::int64_t shared_requests = 0;
  std::int64_t wavefronts = 0;  // of shared memory
  std::int64_t wavefronts_ideal = 0;

  void add(const SassCounts& other);
  std::int64_t excess_sectors() const {
    return sectors > sectors_ideal ? sectors - sectors_ideal : 0;
  }
  std::int64_t excess_wavefronts() const {
    return wavefronts > wavefronts_ideal ? wavefronts - wavefronts_ideal : 0;
  }
  // Threads of executing warps that did nothing.
  std::int64_t idle_threads() const;
};

struct CountedInstruction {
  std::int64_t profile;   // PROF_KERNEL_PROFILES.id
  std::int64_t cubin;     // PROF_CUBINS.crc
  std::int64_t function;  // StringIds.id of the mangled name
  std::uint64_t offset;   // in the function
  SassCounts counts;
};

// Returns the instructions of all launches, sorted by launch, function, cubin and offset. Empty
// without SASS metrics.
base::Result<std::vector<CountedInstruction>> read_sass_counts(const report::ReportReader& reader);

struct CountedLine {
  std::string line;      // "kernel.cu:12"; empty: unknown
  std::string function;  // innermost
  std::string callers;   // "in f at kernel.cu:3; …": where it was inlined
  SassCounts counts;
};

// The lines of launches.
class CountedLines {
 public:
  static base::Result<CountedLines> read(const report::ReportReader& reader);

  bool is_empty() const { return lines_.empty(); }
  // Returns the lines of launches together, most executed instructions first.
  std::vector<CountedLine> of(std::span<const std::int64_t> profiles) const;

 private:
  std::map<std::int64_t, std::vector<CountedLine>> lines_;  // by launch
};

// What may be wrong with a line.
enum class LineFault : std::uint8_t { kUncoalesced, kBankConflicts, kIdleThreads };

// Says which line has the most of a fault: "kernel.cu:12 has 87 % of them: 32 sectors a request
// where 4 would do". Empty if no line is known or there is no fault.
std::string worst_line_text(const std::vector<CountedLine>& lines, LineFault fault);

}  // namespace prof::stalls
