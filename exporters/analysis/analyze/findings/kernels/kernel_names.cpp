// Findings about kernels.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"

namespace prof::analyze {

namespace {

using insight::Operation;

// The number and the time of some kernels, and for each name the time and the longest kernel.
struct Kernels {
  std::int64_t count = 0;
  std::int64_t time = 0;
  std::map<std::int64_t, std::pair<std::int64_t, std::optional<Operation>>> by_name;

  void add(const Operation& each) {
    ++count;
    time += each.duration();
    auto& [sum, longest] = by_name[each.name];
    sum += each.duration();
    if (!longest || each.duration() > longest->duration()) longest = each;
  }
  // Returns the time of the kernel name that takes the most time, and its longest kernel.
  const std::pair<std::int64_t, std::optional<Operation>>& top() const {
    return std::max_element(
               by_name.begin(), by_name.end(),
               [](const auto& a, const auto& b) { return a.second.first < b.second.first; })
        ->second;
  }
  std::string text(const Facts& facts) const {
    return fmt::format("{}; the most time ({}) is in {}", count_text(count, "kernel"),
                       time_text(top().first), name_text(facts.work.name_of(*top().second)));
  }
};

template <class Fits>
std::optional<Finding> finding_of_kernels(const Facts& facts, Fits fits, const char* rule,
                                          const char* sentence, const char* remedy) {
  Kernels kernels;
  for (const Operation& each : facts.work.operations())
    if (each.kind == insight::WorkKind::kKernel && fits(facts.work.kernel_kind(each.name)))
      kernels.add(each);
  if (kernels.count == 0) return std::nullopt;
  Finding finding{rule,         sentence,
                  kernels.time, kernels.text(facts),
                  remedy,       where_of(facts, *kernels.top().second)};
  for (const auto& [name, sum] : kernels.by_name) finding.kernels.push_back(name);
  return finding;
}

}  // namespace

std::optional<Finding> fp32_gemm(const Facts& facts) {
  return finding_of_kernels(
      facts,
      [](const insight::KernelKind& kind) {
        return kind.tensor_cores == insight::TensorCores::kEligible;
      },
      "fp32_gemm", "Matrix products and convolutions do not use the tensor cores",
      "Use a lower precision where the result allows it: torch.autocast(dtype=torch.bfloat16), "
      "torch.set_float32_matmul_precision(\"high\") for TF32; use sizes that are multiples of 8");
}

std::optional<Finding> layout_conversion(const Facts& facts) {
  return finding_of_kernels(
      facts, [](const insight::KernelKind& kind) { return kind.layout; }, "layout_conversion",
      "Kernels spend time converting tensors between memory layouts",
      "Keep one layout throughout: model.to(memory_format=torch.channels_last), and the same for "
      "the "
      "inputs");
}

}  // namespace prof::analyze
