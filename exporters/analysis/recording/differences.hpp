// In which respects recordings differ, so that a comparison of their reports may mislead.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "exporters/analysis/recording/recording.hpp"

namespace prof::recording {

struct Difference {
  const Respect* respect;
  std::vector<std::string> before;  // empty: none
  std::vector<std::string> after;
};

// Compares the recordings of both sides, in the order of kRespects. A respect that is unknown on
// one side is not compared.
std::vector<Difference> differences(std::span<const Recording> before,
                                    std::span<const Recording> after);

// Returns the difference in GPUs, or null. Times of different GPUs cannot be compared.
const Difference* other_gpu(const std::vector<Difference>& differences);

// "GPU (1 × NVIDIA A100 (108 SMs) → 1 × NVIDIA H200 (132 SMs))", on one line.
std::string text_of(const Difference& difference);

// "The reports differ in: GPU (…), command (…)." Empty if there are no differences.
std::string text_of(const std::vector<Difference>& differences);

}  // namespace prof::recording
