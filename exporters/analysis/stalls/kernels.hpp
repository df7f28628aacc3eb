// The kernels that PC samples are of.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/stalls/samples.hpp"

namespace prof::stalls {

// The launches of the kernel of a function.
struct Launched {
  std::int64_t demangled = 0;  // StringIds.id
  std::int64_t brief = 0;      // StringIds.id
  std::int64_t time = 0;       // ns
  std::int64_t count = 0;
};

// Returns the launches by function (StringIds.id of the mangled name). Empty without kernels.
base::Result<std::map<std::int64_t, Launched>> read_launched(const report::ReportReader& reader);

// A function with samples. Functions that kernels call have no launches.
struct SampledKernel {
  std::int64_t function;  // StringIds.id of the mangled name
  std::string mangled;
  std::string name;  // as the user wants it
  Launched launched;
  Sum sum;
};

// Returns the functions with samples, most samples first.
base::Result<std::vector<SampledKernel>> sampled_kernels(
    const report::ReportReader& reader, const std::vector<Instruction>& instructions,
    events::KernelName naming);

}  // namespace prof::stalls
