#include "collector/ingest/chains/stack_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <thread>

#include "collector/ingest/chains/mark_frame.hpp"
#include "common/base/extra_threads.hpp"

namespace prof::ingest {

using report::StackFrame;

namespace {

// Limits the length of chains, which a damaged recording can make too long.
constexpr int kMaxFrames = 4096;

constexpr unsigned kMaxThreads = 8;

}  // namespace

StackTable::StackTable(const spool::Spool& spool, report::ReportWriter& writer)
    : spool_(spool),
      writer_(writer),
      places_(writer.memory()),
      place_numbers_(writer.memory()),
      frames_(writer.memory()),
      is_visited_(writer.memory()),
      jit_names_(spool.notes) {}

StackTable::CodeLocation StackTable::place_of(const spool::StackNode& node) {
  const bool by_address =
      node.module <= spool::kKernelModule || (node.flags & spool::kJitCode) != 0;
  const bool is_exact = (node.flags & spool::kExactAddress) != 0;
  const std::uint64_t address = by_address ? node.address : node.offset;
  // A return address belongs to the function of the call instruction before it.
  return {node.module, is_exact ? address : address - 1, (node.flags & spool::kJitCode) != 0};
}

bool StackTable::find(std::uint32_t number, spool::StackNode& node) const {
  const auto& pieces = spool_.stack_pieces;
  auto piece = std::upper_bound(pieces.begin(), pieces.end(), number,
                                [](std::uint32_t wanted, const spool::StackPiece& each) {
                                  return wanted < each.header.first;
                                });
  if (piece == pieces.begin()) return false;
  --piece;
  const std::size_t index = number - piece->header.first;
  if (index >= piece->nodes.size() / sizeof node) return false;
  std::memcpy(&node, piece->nodes.data() + index * sizeof node, sizeof node);
  return true;
}

void StackTable::resolve(const std::function<void(double)>& progress) {
  if (spool_.stack_pieces.empty()) return;
  read_modules();
  collect_places();
  name_places(progress);
  max_depth_ = mark_frame(writer_, report::kMaxDepth);
  broken_ = mark_frame(writer_, report::kBrokenChain);
}

void StackTable::read_modules() {
  spool_.notes.for_each<spool::StackModuleNote>([&](spool::StackModuleNote&& note) {
    Module& module = modules_[note.id];
    module = {.path = std::move(note.path),
              .version = {std::move(note.build_id), note.inode, note.modified},
              .is_current = !note.is_elsewhere,
              .jit_of = note.jit_of,
              .inherited_from = std::move(note.inherited_from),
              .functions = {}};
    if (module.is_current && module.path.starts_with('/') && module.version.build_id.empty())
      module.is_current = symbols::is_version_at(module.path, module.version);
  });
  spool_.notes.for_each<spool::StackFunctionsNote>([&](spool::StackFunctionsNote&& note) {
    for (auto& [offset, name] : note.functions)
      modules_[note.module].functions.emplace(offset, std::move(name));
  });
}

void StackTable::collect_places() {
  for (const spool::StackPiece& piece : spool_.stack_pieces)
    for (auto left = piece.nodes; left.size() >= sizeof(spool::StackNode);
         left = left.subspan(sizeof(spool::StackNode))) {
      spool::StackNode node;
      std::memcpy(&node, left.data(), sizeof node);
      const CodeLocation place = place_of(node);
      if (place_numbers_.try_emplace(place, places_.size()).second) places_.push_back(place);
    }
}

// Does not read the file if it is another one than was mapped.
symbols::FunctionName StackTable::name_in_file(const Module& module, std::uint64_t offset,
                                               symbols::Symbolizer& symbolizer) {
  if (module.is_current) return symbolizer.in_file(module.path, offset, module.version);
  auto name = symbols::unresolved(module.path, offset);
  if (const auto known = module.functions.find(offset); known != module.functions.end()) {
    name.name = known->second;
    name.is_resolved = true;
  }
  return name;
}

// Code that the process compiled itself is newer than code that it inherited, so it is looked up
// first.
symbols::FunctionName StackTable::name_of_jit_code(const Module& module, std::uint64_t address,
                                                   symbols::Symbolizer& symbolizer) {
  auto found = symbolizer.in_perf_map(module.path, address);
  for (const pid_t pid : module.inherited_from)
    if (!found.is_resolved) found = symbolizer.in_perf_map(spool::perf_map_of(pid), address);
  return found;
}

StackTable::Name StackTable::name_of(const CodeLocation& place, symbols::Symbolizer& symbolizer,
                                     const symbols::KernelSymbols& kernel) const {
  const auto in_hexadecimal = [&] { return fmt::format("{:#x}", place.address); };
  if (place.module == spool::kKernelModule) {
    const std::string_view symbol = kernel.find(place.address);
    return {symbol.empty() ? in_hexadecimal() : std::string(symbol),
            std::string(report::kKernelCode), !symbol.empty()};
  }
  const auto module = modules_.find(place.module);
  if (module == modules_.end()) return {in_hexadecimal(), std::string(report::kUnknownCode), false};
  if (!place.is_jit) {
    auto found = name_in_file(module->second, place.address, symbolizer);
    return {std::move(found.name), std::move(found.module), found.is_resolved};
  }
  auto found = name_of_jit_code(module->second, place.address, symbolizer);
  if (!found.is_resolved) return {in_hexadecimal(), std::string(report::kUnknownCode), false};
  return {std::move(found.name), std::string(report::kJitModule), true};
}

// Returns the places of each module, from `first` to before `last`.
std::vector<std::vector<std::size_t>> StackTable::places_by_module(std::size_t first,
                                                                   std::size_t last) const {
  std::map<std::uint32_t, std::vector<std::size_t>> places;
  for (std::size_t i = first; i < last; ++i) places[places_[i].module].push_back(i);
  std::vector<std::vector<std::size_t>> result;
  result.reserve(places.size());
  for (auto& [module, of_module] : places) result.push_back(std::move(of_module));
  return result;
}

// Looks up the names of all places. Several threads read the modules' files, each one module at a
// time. `progress` gets the number of names.
std::vector<StackTable::Name> StackTable::look_up(
    std::size_t first, std::size_t last, symbols::Symbolizer& symbolizer,
    const symbols::KernelSymbols& kernel, const std::function<void(std::size_t)>& progress) const {
  const auto modules = places_by_module(first, last);
  std::vector<Name> names(last - first);
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
  const auto work = [&](bool reports) {
    for (std::size_t module; (module = next.fetch_add(1)) < modules.size();) {
      for (const std::size_t place : modules[module])
        names[place - first] = name_of(places_[place], symbolizer, kernel);
      done += modules[module].size();
      if (reports) progress(done);
    }
  };
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1U, kMaxThreads);
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < threads && i < modules.size(); ++i)
    if (!base::add_thread(others, [&work] { work(false); })) break;
  work(true);
  others.clear();  // joins the threads
  return names;
}

// Returns 0 if no frame is in the kernel.
std::uint64_t StackTable::highest_kernel_address() const {
  std::uint64_t highest = 0;
  for (const CodeLocation& place : places_)
    if (place.module == spool::kKernelModule) highest = std::max(highest, place.address);
  return highest;
}

// Looks up a limited number of names at a time, because they can be long.
void StackTable::name_places(const std::function<void(double)>& progress) {
  constexpr std::size_t kTogether = 64 << 10;
  symbols::Symbolizer symbolizer;
  symbols::KernelSymbols kernel;
  if (const std::uint64_t highest = highest_kernel_address(); highest != 0) {
    const auto recording = spool_.notes.first<spool::CpuRecordingNote>();
    kernel = symbols::KernelSymbols::of_this_boot(recording ? recording->boot_id : "", highest);
  }
  for (std::size_t first = 0; first < places_.size(); first += kTogether) {
    const std::size_t last = std::min(first + kTogether, places_.size());
    const auto report = [&](std::size_t names) {
      if (progress)
        progress(static_cast<double>(first + names) / static_cast<double>(places_.size()));
    };
    for (const Name& name : look_up(first, last, symbolizer, kernel, report))
      frames_.push_back(frame_of(name));
  }
}

StackFrame StackTable::frame_of(const Name& name) {
  StackFrame frame;
  frame.symbol = writer_.string_id(name.symbol);
  frame.module = writer_.string_id(name.module);
  frame.is_unresolved = !name.is_resolved;
  frame.is_kernel = name.module == report::kKernelCode;
  // The compiler may have moved parts of the loop into a function with the suffix ".cold".
  if (name.symbol.starts_with("_PyEval_EvalFrameDefault"))
    interpreter_symbols_.insert(frame.symbol);
  return frame;
}

// Returns the number of the JIT compiler's function that was at the node's address; 0: not known.
std::uint32_t StackTable::jit_code_of(const spool::StackNode& node, std::uint64_t time) const {
  if ((node.flags & spool::kJitCode) == 0 || jit_names_.is_empty()) return 0;
  const auto module = modules_.find(node.module);
  return module == modules_.end()
             ? 0
             : jit_names_.find(module->second.jit_of, place_of(node).address, time);
}

const StackFrame& StackTable::jit_frame(std::uint32_t code) {
  const auto [frame, is_new] = jit_frames_.try_emplace(code);
  if (is_new)
    frame->second = frame_of({jit_names_.name(code), std::string(report::kJitModule), true});
  return frame->second;
}

std::uint64_t StackTable::epoch(std::uint32_t node, std::uint64_t time) const {
  if (jit_names_.is_empty()) return 0;
  std::uint64_t epoch = 0;
  spool::StackNode at;
  for (int depth = 0; depth < kMaxFrames && node != 0 && find(node, at); ++depth) {
    if (const std::uint32_t code = jit_code_of(at, time); code != 0)
      epoch = (epoch ^ code) * 0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(depth);
    if (at.caller >= node) break;
    node = at.caller;
  }
  return epoch;
}

void StackTable::frames(std::uint32_t node, std::uint64_t time,
                        const std::function<void(const StackFrame&)>& visit) {
  spool::StackNode at;
  for (int depth = 0; depth < kMaxFrames && node != 0 && find(node, at); ++depth) {
    if ((at.flags & spool::kMaxDepthMark) != 0) return visit(max_depth_);
    if ((at.flags & spool::kBrokenMark) != 0) return visit(broken_);
    const auto place = place_numbers_.find(place_of(at));
    if (place == place_numbers_.end()) return;
    const std::uint32_t code = jit_code_of(at, time);
    StackFrame frame = code != 0 ? jit_frame(code) : frames_[place->second];
    frame.set<&StackFrame::address>(static_cast<std::int64_t>(at.address));
    frame.method = at.method;
    if (node >= is_visited_.size()) is_visited_.resize(node + 1);
    is_visited_[node] = true;
    visit(frame);
    if (at.caller >= node) return;  // damaged: a caller has a lower number than its callee
    node = at.caller;
  }
}

// Returns nothing for code that is not in a file.
std::optional<report::CodePlaceRow> StackTable::code_place(const spool::StackNode& node) const {
  const auto module = modules_.find(node.module);
  if (module == modules_.end() || (node.flags & spool::kJitCode) != 0) return {};
  const std::string& path = module->second.path;
  const std::string& build_id = module->second.version.build_id;
  if (!path.starts_with('/')) return {};  // the vdso
  // Without a build-id a reader cannot check later whether the file at the path is still the same.
  if (build_id.empty() && !module->second.is_current) return {};
  report::CodePlaceRow row{.address = static_cast<std::int64_t>(node.address),
                           .offset = static_cast<std::int64_t>(node.offset),
                           .module = writer_.string_id(path),
                           .is_return_address = (node.flags & spool::kExactAddress) != 0 ? 0 : 1};
  if (build_id.empty())
    row.nulls = report::null_bits<report::CodePlaceRow>(&report::CodePlaceRow::build_id);
  else
    row.build_id = writer_.string_id(build_id);
  return row;
}

void StackTable::write_code_places() {
  std::pmr::vector<report::CodePlaceRow> rows(writer_.memory());
  spool::StackNode node;
  for (std::size_t number = 0; number < is_visited_.size(); ++number)
    if (is_visited_[number] && find(static_cast<std::uint32_t>(number), node))
      if (const auto row = code_place(node)) rows.push_back(*row);
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  for (const report::CodePlaceRow& row : rows) writer_.add(row);
}

}  // namespace prof::ingest
