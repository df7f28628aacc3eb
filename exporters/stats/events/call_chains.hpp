// Call chains of a report, as texts: the innermost frames of each.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/stats/events/strings.hpp"

namespace prof::stats {

// Of several frames, innermost first, " < " between them.
struct Caller {
  std::string functions;
  std::string places;  // modules: of Python frames file:line
};

class Callers {
 public:
  static constexpr std::int64_t kNone = -1;
  static constexpr std::int64_t kNoChain = -1;  // in place of an id

  // Of a table such as CUDA_CALLCHAINS; `depth` frames of each chain, -1: all.
  static base::Result<Callers> read(const report::ReportReader& reader, const char* table,
                                    std::int64_t depth, Strings& strings);

  // Number of the caller of a chain: the same for chains that agree in all frames looked at. kNone
  // where there is no such chain.
  std::int64_t of_chain(std::int64_t id) const {
    const auto found = chains_.find(id);
    return found == chains_.end() ? kNone : found->second;
  }
  const Caller& text(std::int64_t caller) const { return texts_[static_cast<std::size_t>(caller)]; }

 private:
  using Frames = std::vector<std::pair<std::int64_t, std::int64_t>>;  // symbol, module

  void add(std::int64_t chain, const Frames& frames, Strings& strings);

  std::unordered_map<std::int64_t, std::int64_t> chains_;
  std::map<Frames, std::int64_t> numbers_;
  std::vector<Caller> texts_;
};

}  // namespace prof::stats
