// Makes the parts of the start page. Each function returns one part in JSON, as
// docs/viewer-protocol.md describes it.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/info/report_info.hpp"
#include "exporters/analysis/insight/breakdown.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"
#include "exporters/analysis/insight/iterations.hpp"
#include "exporters/viewer/answers/summary/places.hpp"

namespace prof::view {

// The maximum length of a list of names.
inline constexpr std::size_t kMaxNames = 15;

std::string facts_part(const info::ReportInfo& info);
std::string options_part(const info::ReportInfo& info);
std::string losses_part(const info::ReportInfo& info);

// Kernels by name, and how much of the kernels' time uses the tensor cores.
struct KernelParts {
  std::string kernels;
  std::string tensor_cores;
};
base::Result<KernelParts> kernel_parts(const report::ReportReader& reader, const Places& places);
base::Result<std::string> ranges_part(const report::ReportReader& reader, const Places& places);
// Returns the functions with most samples.
base::Result<std::string> cpu_part(const report::ReportReader& reader);

// What is shown of the GPU work of a whole report.
struct WholeWork {
  struct DeviceTime {
    insight::Device device;
    insight::Breakdown times;
  };
  std::vector<DeviceTime> devices;
  std::vector<insight::Iterations> iterations;
};
WholeWork whole_work(const insight::GpuWork& work,
                     const std::vector<insight::Iterations>& iterations);
std::string gpus_part(const WholeWork& work, const timeline::Snapshot& snapshot,
                      const Places& places);
std::string iterations_part(const WholeWork& work, const Places& places);

std::string verdict_part(const analyze::Diagnosis& diagnosis);
std::string findings_part(const analyze::Diagnosis& diagnosis, const Places& places);

}  // namespace prof::view
