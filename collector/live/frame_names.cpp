#include "collector/live/frame_names.hpp"

#include <algorithm>
#include <utility>

#include "collector/ingest/chains/merged_chain.hpp"
#include "common/base/text/printable.hpp"
#include "common/code/names/script_name.hpp"

namespace prof::live {

namespace {

constexpr std::string_view kInterpreterLoop = "_PyEval_EvalFrameDefault";

report::StackFrame numbered(std::size_t index) {
  report::StackFrame frame;
  frame.symbol = static_cast<std::int32_t>(index);
  return frame;
}

report::StackFrame end_mark() {
  report::StackFrame frame = numbered(0);
  frame.is_special = true;
  return frame;
}

}  // namespace

std::vector<symbols::SourceFrame> FrameNames::lines(const std::string& path, std::uint64_t offset) {
  const auto [at, is_new] = lines_.try_emplace(path);
  if (is_new)
    if (auto opened = symbols::SourceLines::open(path)) at->second.emplace(std::move(*opened));
  return at->second ? at->second->at(offset) : std::vector<symbols::SourceFrame>();
}

symbols::FunctionName FrameNames::name_of(const unwind::Module& module, const std::string& path,
                                          std::uint64_t offset) {
  if (path.empty()) return symbols::unresolved(module.path(), offset);
  auto name = symbolizer_.in_file(path, offset, {{}, module.identity().inode, module.modified()});
  return name.is_resolved ? name : symbols::unresolved(module.path(), offset);
}

symbols::FunctionName FrameNames::name_of_jit_code(std::uint64_t address, const std::string& root,
                                                   std::span<const pid_t> makers) {
  symbols::FunctionName name;
  for (const pid_t maker : makers)
    if (!name.is_resolved)
      name = symbolizer_.in_perf_map(root + "/tmp/perf-" + std::to_string(maker) + ".map", address);
  return name;
}

std::vector<Frame> FrameNames::native(const unwind::CallChain& chain, const unwind::ModuleMap& map,
                                      const std::string& root, std::span<const pid_t> makers) {
  std::vector<Frame> frames;
  for (const unwind::Frame& each : chain.frames) {
    const std::uint64_t address = each.lookup_address();
    const unwind::Mapping* mapping = map.find(address, 0);
    Frame frame;
    frame.address = each.address;
    if (mapping == nullptr || !mapping->module) {
      const auto name = name_of_jit_code(address, root, makers);
      frame.function = name.is_resolved ? base::printable(name.name) : "?";
      frame.has_name = name.is_resolved;
      if (const auto script = names::script_function(name.name); name.is_resolved && script) {
        frame.function = base::printable(script->function);
        frame.file = base::printable(script->file);
        frame.line = static_cast<int>(script->line);
      }
      frames.push_back(std::move(frame));
      continue;
    }
    const std::string& module = mapping->module->path();
    const std::string path = mapping->module->readable_path();
    const std::uint64_t offset = address - mapping->start + mapping->offset;
    const auto name = name_of(*mapping->module, path, offset);
    frame.function = base::printable(name.name);
    frame.module = base::printable(module);
    frame.has_name = name.is_resolved;
    const auto source = lines(path, offset);
    const bool is_loop = frame.function.starts_with(kInterpreterLoop);
    for (const symbols::SourceFrame& at : source) {
      if (&at == &source.back()) {
        frame.file = base::printable(at.file);
        frame.line = at.line;
        if (!frame.has_name && !at.function.empty()) frame.function = base::printable(at.function);
      } else if (!is_loop) {
        Frame inlined = frame;
        inlined.function = base::printable(at.function);
        inlined.file = base::printable(at.file);
        inlined.line = at.line;
        inlined.address = 0;
        inlined.is_inlined = inlined.has_name = true;
        frames.push_back(std::move(inlined));
      }
    }
    frames.push_back(std::move(frame));
  }
  return frames;
}

Frame frame_of(PythonChains::Function function) {
  Frame frame;
  frame.function = std::move(function.name);
  frame.file = std::move(function.file);
  frame.line = function.line;
  frame.is_python = frame.has_name = true;
  return frame;
}

std::vector<Frame> merge_frames(std::vector<Frame> native, bool native_is_cut,
                                std::span<const python_frames::PythonFrame> python,
                                bool python_is_cut, PythonChains* names) {
  if (python.empty()) return native;
  std::vector<Frame> all = std::move(native);
  std::vector<report::StackFrame> outer;
  for (std::size_t i = 0; i < all.size(); ++i) outer.push_back(numbered(i));
  if (native_is_cut) outer.push_back(end_mark());
  std::vector<ingest::PythonChainFrame> inner;
  for (const python_frames::PythonFrame& each : python) {
    inner.push_back({numbered(all.size()), each.below_native});
    all.push_back(frame_of(names->function(each)));
  }
  if (python_is_cut) inner.push_back({end_mark(), false});
  const auto is_loop = [&](const report::StackFrame& frame) {
    return all[static_cast<std::size_t>(frame.symbol)].function.starts_with(kInterpreterLoop);
  };
  std::vector<Frame> merged;
  for (const report::StackFrame& each : ingest::merge_chains(outer, inner, is_loop))
    if (!each.is_special) merged.push_back(all[static_cast<std::size_t>(each.symbol)]);
  return merged;
}

}  // namespace prof::live
