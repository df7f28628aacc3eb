// The lines of a program that launched operators.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::operators {

class CodePlaces {
 public:
  // Reads CUDA_CALLCHAINS. Of each chain the innermost Python frame counts that launches a kernel
  // which torch.compile made, else one that is not in PyTorch, else the innermost with a line.
  static base::Result<CodePlaces> read(const report::ReportReader& reader);

  // Returns "model.py:31 (forward)", or an empty text if the chain has no lines.
  const std::string& text(std::int64_t chain) const {
    static const std::string none;
    const auto found = places_.find(chain);
    return found == places_.end() ? none : found->second.text;
  }

 private:
  enum class Rank : std::uint8_t { kPytorch, kProgram, kCompiled };
  struct Place {
    std::string text;
    Rank rank;
  };
  std::unordered_map<std::int64_t, Place> places_;  // by chain
};

}  // namespace prof::operators
