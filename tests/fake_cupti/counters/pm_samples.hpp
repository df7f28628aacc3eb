// Samples of a GPU's counters that were recorded on an H200, for the fake's PM sampling.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fake {

struct PmSamples {
  std::vector<std::string> counters;              // CUPTI's names
  std::vector<std::vector<std::int64_t>> values;  // of each sample, by counter
};

// Those of the file that FAKE_PM_SAMPLES names: a line of names, then a line for each sample, with
// tabs between.
const PmSamples& pm_samples();

// Number of the counter, -1: the GPU does not have it.
int counter_number(const std::string& name);

}  // namespace fake
