// What findings need to know about operators of PyTorch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/nvtx/range_tree.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/analysis/operators/limits.hpp"
#include "exporters/analysis/operators/operator_ranges.hpp"
#include "exporters/analysis/operators/work/work.hpp"

namespace prof::analyze {

// Calls of an operator with the same shapes in the same place.
struct OperatorUse {
  std::string text;  // "aten::mm [[32, 64], [64, 16]] in Net > Linear, model.py:31 (forward)"
  operators::Direction direction;
  operators::ElementType type;
  std::optional<operators::MatrixProduct> product;
  std::int64_t calls = 0;
  std::int64_t time = 0;      // ns on the GPU
  std::int64_t headroom = 0;  // ns beyond what the GPU needs; 0 if that is unknown
  double roof = 0;            // percent of what the GPU could do; 0: unknown
  double least = 0;           // ns that the GPU needs for all calls
  insight::Interval longest;  // of the longest call, on the GPU
  std::int64_t global_pid;
  std::int64_t device;
};

// Elementwise operators that run one after the other on elements of the same shape.
struct ElementwiseChains {
  std::int64_t chains = 0;
  std::int64_t operators = 0;
  std::int64_t time = 0;    // ns
  std::int64_t saving = 0;  // ns if each chain took as long as its longest operator
  std::string longest;      // "aten::mul, aten::add" of the chain with the largest saving
  std::int64_t longest_saving = 0;
  insight::Interval when = {};
  std::int64_t global_pid = 0;
  std::int64_t device = 0;
};

struct OperatorFacts {
  std::vector<OperatorUse> uses;  // the one with the most time first; empty without operators
  ElementwiseChains chains;
};

// `ranges` are those of the report. Without ranges of operators the rest of it is not read. The
// facts are those of the operations that overlap `window`. Their operators may be earlier: CUDA
// graphs are captured before they are launched, and launches are before the work.
base::Result<OperatorFacts> read_operator_facts(const report::ReportReader& reader,
                                                const events::RangeTree& ranges,
                                                const std::optional<insight::Interval>& window);

}  // namespace prof::analyze
