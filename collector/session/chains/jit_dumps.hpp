// Reads the jitdump files of perf, in which JIT compilers describe their code, while the target
// runs. They provide call frame information for the unwinder and names for the report.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "collector/session/spool_recorder.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/code/symbols/jit_dump.hpp"
#include "common/code/unwind/jit_code.hpp"

namespace prof::session {

class JitDumps {
 public:
  explicit JitDumps(unwind::JitCodes& codes) : codes_(codes) {}

  // Reads what was added since the last call, also from new dumps. Names are written to the spool,
  // as notes of type "jit_code".
  void read(SpoolRecorder& recorder);

 private:
  struct Open {
    std::shared_ptr<unwind::JitCode> code;
    std::uint64_t inode;
    symbols::JitDump dump;
    bool was_corrupt = false;
  };
  // Relates the clock of a dump to CLOCK_MONOTONIC_RAW, by readings taken since the first dump was
  // found.
  class Clock {
   public:
    // `rate`: ticks per second, used until there are two readings.
    explicit Clock(double rate) : ns_per_tick_(1e9 / rate) {}
    void add(std::uint64_t time, std::uint64_t raw);
    std::uint64_t raw(std::uint64_t time) const;

   private:
    double ns_per_tick_;
    std::vector<spool::ClockTriple> readings_;
  };

  std::uint64_t raw(const Open& each, std::uint64_t time) const;
  void open(const unwind::JitCodes::Dump& found, SpoolRecorder& recorder);
  void read_clocks();
  bool read(Open& each, SpoolRecorder& recorder);
  void write_changes(SpoolRecorder& recorder);

  unwind::JitCodes& codes_;
  std::vector<Open> open_;
  Clock monotonic_{1e9};
  Clock tsc_{spool::measure_tsc_rate()};
  std::uint64_t codes_written_ = 0;
  bool limit_reported_ = false;
};

}  // namespace prof::session
