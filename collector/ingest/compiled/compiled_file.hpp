// Reads a file that PyTorch's Inductor wrote: which operators each line computes that launches
// kernels. The file is Python; nothing of it is run. Its format is not declared anywhere. What is
// not as expected is left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prof::ingest {

// A line that launches a kernel of the file, or calls an operator of PyTorch. Numbers that are
// unknown, or not the same in each run, are empty.
struct CompiledLaunch {
  std::int64_t line = 0;        // from 1
  std::int64_t definition = 0;  // line of the kernel; 0: it is not in the file
  std::string kernel;           // "triton_poi_fused_add_relu_0", "extern_kernels.mm"
  std::string operators;        // "aten::add + aten::relu"; empty: unknown
  std::string graph;            // a line for each operator, as in OperatorText; empty: unknown
  // The tensors that a kernel reads and writes, "float32 [8, 512], int64 [8]"; empty: unknown.
  std::string inputs = {};
  std::string outputs = {};
  // Each tensor once. Of a tensor of which the kernel reads parts, not more than it can read.
  std::optional<std::int64_t> bytes_read = {};
  std::optional<std::int64_t> bytes_written = {};
  std::optional<std::int64_t> elements = {};  // for how many elements the kernel runs
  std::optional<bool> is_backward = {};       // the whole file is a backward pass
};

std::vector<CompiledLaunch> parse_compiled_file(std::string_view text);

// True for a path like "/tmp/torchinductor_me/ab/cabx….py": all files of Inductor's caches, also of
// vLLM's, have names that are hashes, in folders named after these.
bool is_compiled_file(std::string_view path);

}  // namespace prof::ingest
