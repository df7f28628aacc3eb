#include "collector/ingest/stack_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "collector/symbols/kernel_symbols.hpp"
#include "collector/symbols/symbolizer.hpp"

namespace prof::ingest {

using report::StackFrame;

namespace {

// nsys's words.
constexpr std::string_view kUnknown = "[Unknown]";
constexpr std::string_view kKernel = "[kernel.kallsyms]";
constexpr std::string_view kMaxDepth = "[Max depth]";
constexpr std::string_view kBroken = "[Broken backtraces]";

// A chain of a damaged recording cannot be longer than this, whatever its nodes say.
constexpr int kMostFrames = 4096;

constexpr unsigned kMostThreads = 8;

StackFrame mark_frame(report::ReportWriter& writer, std::string_view text) {
  StackFrame frame;
  frame.symbol = writer.string_id(text);
  frame.module = writer.string_id(kUnknown);
  frame.set(StackFrame::kSpecialEntry);
  frame.set(StackFrame::kUnresolved);
  return frame;
}

}  // namespace

StackTable::StackTable(const Spool& spool, report::ReportWriter& writer)
    : spool_(spool), writer_(writer) {}

StackTable::Place StackTable::place_of(const StackNode& node) {
  const bool by_address = node.module <= kKernelModule || (node.flags & kJitCode) != 0;
  const bool is_exact = (node.flags & kExactAddress) != 0;
  const std::uint64_t address = by_address ? node.address : node.offset;
  // What a return address belongs to is found at the call before it.
  return {node.module, is_exact ? address : address - 1, (node.flags & kJitCode) != 0};
}

bool StackTable::find(std::uint32_t number, StackNode& node) const {
  const auto& pieces = spool_.stack_pieces;
  auto piece = std::upper_bound(
      pieces.begin(), pieces.end(), number,
      [](std::uint32_t wanted, const StackPiece& each) { return wanted < each.header.first; });
  if (piece == pieces.begin()) return false;
  --piece;
  const std::size_t index = number - piece->header.first;
  if (index >= piece->nodes.size() / sizeof node) return false;
  std::memcpy(&node, piece->nodes.data() + index * sizeof node, sizeof node);
  return true;
}

void StackTable::resolve(const std::function<void(double)>& progress) {
  if (spool_.stack_pieces.empty()) return;
  for (const auto& note : spool_.notes)
    if (note.value("type", "") == "stack_module")
      modules_[note.value("id", 0U)] = {note.value("path", ""), note.value("build_id", "")};
  collect_places();
  for (const Name& name : look_up(progress)) add_frame(name);
  max_depth_ = mark_frame(writer_, kMaxDepth);
  broken_ = mark_frame(writer_, kBroken);
}

void StackTable::collect_places() {
  for (const StackPiece& piece : spool_.stack_pieces)
    for (auto left = piece.nodes; left.size() >= sizeof(StackNode);
         left = left.subspan(sizeof(StackNode))) {
      StackNode node;
      std::memcpy(&node, left.data(), sizeof node);
      const Place place = place_of(node);
      if (place_numbers_.try_emplace(place, places_.size()).second) places_.push_back(place);
    }
}

// Sorted by module, so that several threads read several files.
std::vector<StackTable::Name> StackTable::look_up(
    const std::function<void(double)>& progress) const {
  std::vector<std::size_t> order(places_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return places_[a].module < places_[b].module;
  });
  std::vector<std::size_t> begins;  // of each module's run in `order`
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i == 0 || places_[order[i]].module != places_[order[i - 1]].module) begins.push_back(i);
  begins.push_back(order.size());

  std::vector<Name> names(places_.size());
  symbols::Symbolizer symbolizer;
  symbols::KernelSymbols kernel;
  if (std::ranges::count(places_, kKernelModule, &Place::module) != 0)
    kernel =
        symbols::KernelSymbols::of_this_boot(spool_.note("cpu_recording").value("boot_id", ""));
  const auto name_place = [&](const Place& place, Name& name) {
    const auto module = modules_.find(place.module);
    if (place.module == kKernelModule) {
      const std::string_view symbol = kernel.find(place.address);
      name = {symbol.empty() ? fmt::format("{:#x}", place.address) : std::string(symbol),
              std::string(kKernel), !symbol.empty()};
    } else if (module == modules_.end()) {
      name = {fmt::format("{:#x}", place.address), std::string(kUnknown), false};
    } else if (place.is_jit) {
      auto found = symbolizer.in_perf_map(module->second.path, place.address);
      if (!found.is_resolved) found.name = fmt::format("{:#x}", place.address);
      name = {std::move(found.name), found.is_resolved ? "[JIT]" : std::string(kUnknown),
              found.is_resolved};
    } else {
      auto found = symbolizer.in_file(module->second.path, place.address, module->second.build_id);
      name = {std::move(found.name), std::move(found.module), found.is_resolved};
    }
  };

  std::atomic<std::size_t> next_run = 0;
  std::atomic<std::size_t> done = 0;
  const auto work = [&](bool tells) {
    for (std::size_t run; (run = next_run.fetch_add(1)) + 1 < begins.size();) {
      for (std::size_t i = begins[run]; i < begins[run + 1]; ++i)
        name_place(places_[order[i]], names[order[i]]);
      done += begins[run + 1] - begins[run];
      if (tells && progress)
        progress(static_cast<double>(done) / static_cast<double>(places_.size()));
    }
  };
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < threads && i + 1 < begins.size(); ++i) others.emplace_back(work, false);
  work(true);
  others.clear();  // joins
  return names;
}

void StackTable::add_frame(const Name& name) {
  StackFrame frame;
  frame.symbol = writer_.string_id(name.symbol);
  frame.module = writer_.string_id(name.module);
  if (!name.is_resolved) frame.set(StackFrame::kUnresolved);
  frame.set(StackFrame::kAddress);
  if (name.module == kKernel) frame.set(StackFrame::kKernelMode);
  // The compiler may have put parts of it aside: ".cold".
  if (name.symbol.starts_with("_PyEval_EvalFrameDefault"))
    interpreter_symbols_.insert(frame.symbol);
  frames_.push_back(frame);
}

void StackTable::frames(std::uint32_t node,
                        const std::function<void(const StackFrame&)>& visit) const {
  StackNode at;
  for (int depth = 0; depth < kMostFrames && node != 0 && find(node, at); ++depth) {
    if ((at.flags & kMaxDepthMark) != 0) return visit(max_depth_);
    if ((at.flags & kBrokenMark) != 0) return visit(broken_);
    const auto place = place_numbers_.find(place_of(at));
    if (place == place_numbers_.end()) return;
    StackFrame frame = frames_[place->second];
    frame.address = static_cast<std::int64_t>(at.address);
    frame.method = at.method;
    visit(frame);
    if (at.caller >= node) return;  // damaged: callers come first
    node = at.caller;
  }
}

}  // namespace prof::ingest
