#include "exporters/analysis/stats/operators/source_remark.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

namespace {

void remark_on_products(const report::ReportReader& reader, const operators::OperatorModel& model) {
  std::int64_t compared = 0;
  std::int64_t different = 0;
  for (const operators::OperatorCall& call : model.calls()) {
    const operators::Agreement agreement = model.operator_of(call).agreement;
    if (agreement != operators::Agreement::kUnknown) ++compared;
    if (agreement == operators::Agreement::kDiffers) ++different;
  }
  if (different > 0)
    reader.remark(fmt::format(
        "{} of {} matrix products of operators have other sizes than their calls of cuBLAS. The "
        "column cuBLAS Product of operator_sum and operator_trace says which.",
        different, compared));
}

}  // namespace

void remark_on_sources(const report::ReportReader& reader, const operators::OperatorModel& model) {
  remark_on_products(reader, model);
  std::array<std::int64_t, operators::kSources> times{};
  std::int64_t total = 0;
  for (const operators::OperatorCall& call : model.calls()) {
    times[static_cast<std::size_t>(model.operator_of(call).source)] += call.gpu_time;
    total += call.gpu_time;
  }
  if (total == 0) return;
  constexpr const char* kTexts[] = {"an operator",   "a compiled operator", "only a library call",
                                    "only a module", "only an NVTX range",  "only a name"};
  std::string text;
  for (std::size_t source = 0; source < times.size(); ++source)
    if (times[source] > 0)
      text += fmt::format("{}{:.1f} % {}", text.empty() ? "" : ", ",
                          tables::percent(times[source], total), kTexts[source]);
  if (times[0] + times[1] < total)
    reader.remark("of the GPU time, " + text +
                  ". Record with -t cuda,nvtx --pytorch=autograd-shapes-nvtx to get operators of "
                  "PyTorch, and with -t cublas,cudnn to get library calls.");
}

}  // namespace prof::stats
