// The operators of a report: which operator each kernel, copy and fill of the GPU belongs to, and
// how much work it is. Each GPU operation is in exactly one call, so the GPU times of all calls add
// up to those of all operations.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/analysis/operators/library_products.hpp"
#include "exporters/analysis/operators/limits.hpp"
#include "exporters/analysis/operators/operator_ranges.hpp"
#include "exporters/analysis/operators/peaks.hpp"
#include "exporters/analysis/operators/sources.hpp"
#include "exporters/analysis/operators/work/work.hpp"

namespace prof::operators {

struct GpuOperation {
  std::int64_t start;  // ns
  std::int64_t end;
  std::int64_t name;   // of a kernel StringIds.id, of a copy ENUM_CUDA_MEMCPY_OPER
  std::int64_t bytes;  // of a copy or a fill
  std::int64_t global_pid;
  std::int64_t correlation;
  std::int32_t device;
  std::int32_t stream;
  std::int32_t call;  // index in OperatorModel::calls()
  insight::WorkKind kind;

  std::int64_t duration() const { return end - start; }
};

// What calls of an operator have in common: its name, its shapes, its place in the program.
struct Operator {
  std::string name;       // "aten::mm", "cublasGemmEx", a kernel's name
  std::string outermost;  // "aten::linear"; the same as the name if there is no other
  std::string shapes;     // "[[2, 3], [3, 4]]"
  std::int32_t scope;     // index in scopes(), or -1
  Direction direction;
  Source source;
  ElementType type;
  insight::TensorCores tensor_cores;
  Work work;                          // of one call
  std::optional<Shape> result;        // the shape of its result, if the work depends on it
  std::optional<std::int64_t> bytes;  // of one call; empty for copies, whose calls differ
  std::int64_t global_pid;
  std::int32_t device;
  // What cuBLAS computed for it by its arguments, "NT 128 x 32 x 64"; empty: unknown. Sizes of an
  // operator of a framework are compared with those.
  std::string products = {};
  Agreement agreement = Agreement::kUnknown;

  // True if it is known which operator it is, also without the ranges of a framework.
  bool is_known() const {
    return names_operators(source) || (source == Source::kLibrary && !products.empty());
  }
};

// One run of an operator. An operator of a CUDA graph runs once for each launch of the graph.
struct OperatorCall {
  std::int32_t of = -1;         // index in OperatorModel::operators()
  std::int64_t global_tid = 0;  // 0: unknown
  std::int64_t launched = 0;    // ns, when its first operation was launched
  std::int64_t start = 0;       // ns, of its first operation on the GPU
  std::int64_t end = 0;         // ns, of its last one
  std::int64_t gpu_time = 0;    // ns, sum of its operations
  std::int32_t operations = 0;
  std::int32_t device = 0;
  std::int64_t global_pid = 0;
  std::int64_t copied = 0;     // bytes of its copies and fills
  std::int32_t range = -1;     // index in ranges(), or -1
  std::int32_t forward = -1;   // of a backward pass: the range of the forward pass, or -1
  std::int64_t sequence = -1;  // PyTorch's number, also of the backward pass; -1: none
  std::int64_t chain = 0;      // CUDA_CALLCHAINS.id of its launch, or of its forward pass; 0: none
};

class OperatorModel {
 public:
  // Graphs that were traced as a whole have no operators; they are operations with their own name.
  // With a window it has the operations that overlap this time. Their ranges and launches may be
  // earlier.
  static base::Result<OperatorModel> read(const report::ReportReader& reader,
                                          events::RangeOf range_of,
                                          const std::optional<insight::Interval>& window = {});

  const std::vector<GpuOperation>& operations() const { return operations_; }  // by table and row
  const std::vector<OperatorCall>& calls() const { return calls_; }
  const std::vector<Operator>& operators() const { return operators_; }
  const Operator& operator_of(const OperatorCall& call) const {
    return operators_[static_cast<std::size_t>(call.of)];
  }
  // The least traffic of a call, or of a copy what it moved. Empty if it is unknown.
  std::optional<std::int64_t> bytes_of(const OperatorCall& call) const;
  // Returns what the GPU of an operator could do at most, or null if it is unknown.
  const Peaks* peaks_of(const Operator& each) const;
  // Returns the limit of each call of the operator of a call, or nothing if it is unknown.
  const std::optional<Limit>& limit_of(const OperatorCall& call) const {
    return limits_[static_cast<std::size_t>(call.of)];
  }
  const std::vector<Scope>& scopes() const { return ranges_.scopes(); }
  std::string scope_path(std::int32_t scope) const { return ranges_.scope_path(scope); }
  const OperatorRanges& ranges() const { return ranges_; }
  const GpuTable& gpus() const { return gpus_; }

 private:
  explicit OperatorModel(OperatorRanges ranges) : ranges_(std::move(ranges)) {}

  OperatorRanges ranges_;
  GpuTable gpus_;
  mutable std::map<const GpuFacts*, Peaks> peaks_;
  std::vector<GpuOperation> operations_;
  std::vector<OperatorCall> calls_;
  std::vector<Operator> operators_;
  std::vector<std::optional<Limit>> limits_;  // by operator
};

}  // namespace prof::operators
