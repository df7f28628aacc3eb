// What the kernels of a report wait for, by PC samples.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"
#include "exporters/analysis/stalls/reasons.hpp"

namespace prof::analyze {

// A source line in a kernel.
struct SampledPlace {
  std::string text;  // "kernel.cu:12, inlined at kernel.cu:20"; empty: unknown
  double share = 0;  // of the samples that the place was found for, 0 to 1
};

struct CauseShare {
  stalls::Cause cause;
  double share = 0;  // of the kernel's samples
  // The most frequent reason with this cause, and its texts of stalls::Reason.
  std::string reason;
  const char* meaning = "";
  const char* remedy = "";
  double reason_share = 0;  // of the kernel's samples
  SampledPlace place = {};  // the line with the most samples of this cause
};

// The kernels with one name.
struct KernelStalls {
  std::int64_t name = 0;  // StringIds.id of the demangled name
  std::int64_t samples = 0;
  double issued = 0;               // close to the share of cycles in which instructions are issued
  std::vector<CauseShare> causes;  // largest first
  SampledPlace place = {};         // the line with the most samples
  std::int64_t time = 0;           // ns, of all kernels with the name
  std::int64_t count = 0;          // of these
  std::optional<insight::Operation> longest = {};

  // True if there are enough samples to compare shares.
  bool is_known() const { return samples >= 200; }
  // True if the schedulers rarely have to wait. Warps then compete for the units of the GPU, and
  // their stall reasons do not say what limits the kernel.
  bool is_issue_bound() const { return issued >= 0.6; }
};

// Returns the kernels with PC samples that are in `work`.
base::Result<std::vector<KernelStalls>> read_kernel_stalls(const report::ReportReader& reader,
                                                           const insight::GpuWork& work);

// Returns what the kernels with a name wait for, to be added to the evidence of another finding:
// "; in 94 % of its samples the warp waits for data from the L1 cache, the L2 cache or DRAM, most
// at kernel.cu:12". Empty if that is not known.
std::string stall_text(const std::vector<KernelStalls>& stalls, std::int64_t name);

}  // namespace prof::analyze
