#include "pm_samples.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace fake {

namespace {

PmSamples read() {
  PmSamples samples;
  const char* path = std::getenv("FAKE_PM_SAMPLES");
  std::ifstream file(path == nullptr ? "" : path);
  std::string line;
  std::getline(file, line);
  std::istringstream names(line);
  for (std::string name; std::getline(names, name, '\t');) samples.counters.push_back(name);
  while (std::getline(file, line)) {
    std::istringstream numbers(line);
    auto& values = samples.values.emplace_back();
    for (std::int64_t value = 0; numbers >> value;) values.push_back(value);
  }
  return samples;
}

}  // namespace

const PmSamples& pm_samples() {
  static const auto& all = *new PmSamples(read());
  return all;
}

int counter_number(const std::string& name) {
  const auto& names = pm_samples().counters;
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

}  // namespace fake
