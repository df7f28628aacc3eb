// What the files that PyTorch's Inductor wrote say about the kernels that they launch
// (PROF_COMPILED_LAUNCHES).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/operators/compiled/graph_work.hpp"

namespace prof::operators {

inline constexpr const char* kCompiledTable = "PROF_COMPILED_LAUNCHES";

struct CompiledLaunch {
  std::string kernel;     // "triton_poi_fused_add_relu_0", "extern_kernels.mm"
  std::string operators;  // "aten::add + aten::relu"
  std::string shapes;     // of what it reads, "[[8, 512], [8, 512]]"; empty: unknown
  GraphWork work;
  bool is_backward = false;
  bool is_call = false;  // of an operator of PyTorch, which may launch any kernels
};

class CompiledLaunches {
 public:
  static base::Result<CompiledLaunches> read(const report::ReportReader& reader);

  bool is_empty() const { return launches_.empty(); }

  // Returns what launched a kernel, or null. `chain` is that of its launch, 0 if there is none. A
  // kernel without a chain has the launch of its name, if its process has only one such. Equal
  // launches are one object, which lives as long as this one.
  const CompiledLaunch* find(std::int64_t chain, std::int64_t global_pid,
                             const std::string& kernel) const;

 private:
  base::Status read_launches(const report::ReportReader& reader);
  base::Status read_chains(const report::ReportReader& reader);
  void add_name(std::int64_t global_pid, const CompiledLaunch& launch);

  std::deque<CompiledLaunch> launches_;
  std::map<std::string, const CompiledLaunch*, std::less<>> by_line_;  // "/tmp/….py:31"
  std::unordered_map<std::int64_t, const CompiledLaunch*> by_chain_;
  // Null: the process has several different ones.
  std::map<std::pair<std::int64_t, std::string>, const CompiledLaunch*> by_name_;
};

}  // namespace prof::operators
