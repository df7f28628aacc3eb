// Finds the call of an operator that each operation of a GPU belongs to.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/operators/compiled/compiled_launches.hpp"
#include "exporters/analysis/operators/gpu_launches.hpp"
#include "exporters/analysis/operators/library_calls.hpp"
#include "exporters/analysis/operators/library_products.hpp"
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
  const CompiledLaunch* launch = nullptr;  // of a compiled operator, if its file is known
};

class CallFinder {
 public:
  CallFinder(const report::ReportReader& reader, OperatorRanges& ranges, GpuLaunches launched,
             events::RangeOf range_of)
      : reader_(reader),
        launched_(std::move(launched)),
        ranges_(ranges),
        range_of_(range_of),
        strings_(reader),
        call_of_range_(ranges.tree().size(), kNoCall) {}

  base::Status read();

  // The operations with their calls.
  std::vector<GpuOperation>& operations() { return launched_.operations; }
  std::vector<OperatorCall> calls;
  std::vector<CallFacts> facts;  // by call
  // Of calls during which a library multiplied matrices, by number.
  std::unordered_map<std::int32_t, ProductsOfCall> products;

 private:
  static constexpr std::int32_t kNoCall = -1;

  // The moment that decides to which operator an operation belongs.
  struct Moment {
    std::int64_t global_tid;
    std::int64_t time;
    std::int64_t chain;  // CUDA_CALLCHAINS.id; 0: none
  };
  // A range or the address of a LibraryCall, and a launch of a CUDA graph.
  using LaunchKey = std::pair<std::intptr_t, std::int64_t>;
  struct HashKey {
    std::size_t operator()(const LaunchKey& key) const {
      return (static_cast<std::size_t>(key.first) * 0x9e3779b97f4a7c15) ^
             static_cast<std::size_t>(key.second);
    }
  };
  using CallsOfLaunches = std::unordered_map<LaunchKey, std::int32_t, HashKey>;

  void add(GpuOperation& operation, std::int64_t node);
  std::int32_t call_of(const GpuOperation& operation, std::int64_t node);
  // Returns where the number of the call of an operator, or of a product of a library, is kept.
  std::int32_t& call_of_range(std::int32_t range, std::int64_t graph_launch);
  std::int32_t& call_of_product(const LibraryCall* product, std::int64_t graph_launch);
  // Writes `products`.
  void add_products();
  std::int32_t new_call(const CallFacts& facts, const events::ApiCall* launch,
                        const Moment& moment);
  Moment moment_of(const GpuOperation& operation, std::int64_t node, const events::ApiCall& launch,
                   OperatorRanges::Place& place);
  void add_source(const LibraryCall* library, CallFacts& facts) const;
  // Kernels that compilers make say themselves of which operators they are. Files of Inductor say
  // it better.
  void add_compiled(const GpuOperation& operation, const Moment& moment, CallFacts& facts);
  // Returns where the number of the call is kept that a line of a file of Inductor makes.
  std::int32_t& call_of_line(const GpuOperation& operation, const CallFacts& facts,
                             const Moment& moment, const LibraryCall* library,
                             std::int64_t graph_launch);
  struct Compiled {
    std::optional<FusedName> by_inductor;
    std::optional<FusedName> by_xla;
  };
  const Compiled& compiled(std::int64_t kernel);

  const report::ReportReader& reader_;
  GpuLaunches launched_;
  OperatorRanges& ranges_;
  events::RangeOf range_of_;
  LibraryCalls libraries_;
  CompiledLaunches launches_;
  events::Strings strings_;
  std::unordered_map<std::int64_t, Compiled> compiled_;  // by name of the kernel
  std::size_t near_launch_ = 0;
  std::vector<std::int32_t> call_of_range_;  // by range
  CallsOfLaunches call_of_graph_;
  CallsOfLaunches call_of_product_;
  // The last kernel of each thread, and the call that it belongs to.
  struct LastKernel {
    const CompiledLaunch* launch = nullptr;
    std::int64_t first = 0;  // name of the first kernel of the call
    std::int64_t graph_launch = 0;
    std::int32_t call = kNoCall;
  };
  std::unordered_map<std::int64_t, LastKernel> last_kernels_;
  // The call of each GPU operation, and the product during which it was launched, or null.
  std::vector<std::pair<std::int32_t, const LibraryCall*>> product_of_operation_;
};

}  // namespace prof::operators
