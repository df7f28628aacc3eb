// Names and source lines for the frames of call chains.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collector/live/python/python_chains.hpp"
#include "collector/live/snapshot.hpp"
#include "common/code/symbols/source_lines.hpp"
#include "common/code/symbols/symbolizer.hpp"
#include "common/code/unwind/call_chain.hpp"
#include "common/code/unwind/module_map.hpp"

namespace prof::live {

// Reads each file once, for all processes.
class FrameNames {
 public:
  // Returns the frames of a chain. `root` is put before the paths of JIT compilers' lists.
  // `makers`: the pids, in their own namespace, of the process and of those that it was forked
  // from.
  std::vector<Frame> native(const unwind::CallChain& chain, const unwind::ModuleMap& map,
                            const std::string& root, std::span<const pid_t> makers);

 private:
  symbols::FunctionName name_of_jit_code(std::uint64_t address, const std::string& root,
                                         std::span<const pid_t> makers);
  symbols::FunctionName name_of(const unwind::Module& module, const std::string& path,
                                std::uint64_t offset);
  std::vector<symbols::SourceFrame> lines(const std::string& path, std::uint64_t offset);

  symbols::Symbolizer symbolizer_;
  std::map<std::string, std::optional<symbols::SourceLines>> lines_;  // by path
};

// Returns the frame of a Python function.
Frame frame_of(PythonChains::Function function);

// Replaces the interpreter's frames by the Python frames. `python_is_cut`, `native_is_cut`: the
// outer part of the chain is missing.
std::vector<Frame> merge_frames(std::vector<Frame> native, bool native_is_cut,
                                std::span<const python_frames::PythonFrame> python,
                                bool python_is_cut, PythonChains* names);

}  // namespace prof::live
