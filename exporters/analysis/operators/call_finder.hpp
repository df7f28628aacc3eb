// Reads the operations of GPUs, and finds the call of an operator that each belongs to.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/operators/library_calls.hpp"
#include "exporters/analysis/operators/names/fused_names.hpp"
#include "exporters/analysis/operators/operator_model.hpp"

namespace prof::operators {

// What was found out about a call before its kernels are looked at.
struct CallFacts {
  OperatorRanges::Place place;
  // Without an operator: StringIds.id of the library call or of the kernel, or the kind of a copy.
  std::int64_t name;
  Source source;
  insight::WorkKind kind;
};

class CallFinder {
 public:
  CallFinder(const report::ReportReader& reader, OperatorRanges& ranges, events::RangeOf range_of,
             const std::optional<insight::Interval>& window)
      : reader_(reader),
        window_(window),
        ranges_(ranges),
        range_of_(range_of),
        strings_(reader),
        call_of_range_(ranges.tree().size(), kNoCall) {}

  base::Status read();

  std::vector<GpuOperation> operations;
  std::vector<OperatorCall> calls;
  std::vector<CallFacts> facts;  // by call

 private:
  static constexpr std::int32_t kNoCall = -1;

  // The moment that decides to which operator an operation belongs.
  struct Moment {
    std::int64_t global_tid;
    std::int64_t time;
    std::int64_t chain;  // CUDA_CALLCHAINS.id; 0: none
  };
  // A range, and a launch of a CUDA graph.
  using LaunchKey = std::pair<std::int32_t, std::int64_t>;
  struct HashKey {
    std::size_t operator()(const LaunchKey& key) const {
      return (static_cast<std::size_t>(key.first) * 0x9e3779b97f4a7c15) ^
             static_cast<std::size_t>(key.second);
    }
  };

  std::size_t index_of(const events::ApiCall& call) const {
    return static_cast<std::size_t>(&call - api_calls_.all().data());
  }
  base::Status read_sources();
  base::Status read_chains();
  base::Status read_table(const char* table, insight::WorkKind kind, const report::ScanColumn& name,
                          const report::ScanColumn& bytes);
  void add(const GpuOperation& operation, std::int64_t node);
  std::int32_t call_of(const GpuOperation& operation, std::int64_t node);
  // Returns where the number of the call of an operator is kept.
  std::int32_t& call_of_range(std::int32_t range, std::int64_t graph_launch);
  std::int32_t new_call(const CallFacts& facts, const events::ApiCall* launch,
                        const Moment& moment);
  Moment moment_of(const GpuOperation& operation, std::int64_t node, const events::ApiCall& launch,
                   OperatorRanges::Place& place);
  void add_source(const Moment& moment, CallFacts& facts) const;
  // Kernels that compilers make say themselves of which operators they are.
  void add_compiled(CallFacts& facts);
  struct Compiled {
    std::optional<FusedName> by_inductor;
    std::optional<FusedName> by_xla;
  };
  const Compiled& compiled(std::int64_t kernel);

  const report::ReportReader& reader_;
  std::optional<insight::Interval> window_;
  OperatorRanges& ranges_;
  events::RangeOf range_of_;
  events::ApiCalls api_calls_;
  events::GraphNodes nodes_;
  LibraryCalls libraries_;
  events::Strings strings_;
  std::unordered_map<std::int64_t, Compiled> compiled_;  // by name of the kernel
  std::size_t near_launch_ = 0;
  std::vector<std::int64_t> chains_;         // by call in api_calls_; empty: there are none
  std::vector<std::int32_t> call_of_range_;  // by range
  std::unordered_map<LaunchKey, std::int32_t, HashKey> call_of_graph_;
};

}  // namespace prof::operators
