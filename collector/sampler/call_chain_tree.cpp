#include "collector/sampler/call_chain_tree.hpp"

#include <utility>

namespace prof::sampler {

using spool::StackNode;

namespace {

StackNode mark(unwind::Stop stop) {
  StackNode node{};
  node.flags = stop == unwind::Stop::kDepth ? spool::kMaxDepthMark : spool::kBrokenMark;
  return node;
}

constexpr std::uint8_t kKernelContext = 5;  // ENUM_STACK_UNWIND_METHOD

}  // namespace

std::uint32_t CallChainTree::add(ChainOwner owner, const unwind::ModuleMap& map, std::uint64_t time,
                                 std::span<const std::uint64_t> kernel,
                                 const unwind::CallChain& chain) {
  Recent& recent = recent_of(owner);
  std::size_t depth = 0;
  std::uint32_t at = 0;
  if (!chain.is_complete()) at = number_of(mark(chain.stop), depth++, recent);
  for (auto frame = chain.frames.rbegin(); frame != chain.frames.rend(); ++frame) {
    StackNode node = node_of(owner.pid, map, time, *frame);
    node.caller = at;
    at = number_of(node, depth++, recent);
  }
  for (std::size_t i = kernel.size(); i-- > 0;) {
    StackNode node{};
    node.caller = at;
    node.module = spool::kKernelModule;
    node.address = kernel[i];
    node.method = kKernelContext;
    node.flags = i == 0 ? spool::kExactAddress : std::uint8_t{0};
    at = number_of(node, depth++, recent);
  }
  return at;
}

CallChainTree::Recent& CallChainTree::recent_of(ChainOwner owner) {
  Recent& recent = recent_[owner.tid % kRecent];
  if (recent.owner != owner) recent = {owner, {}};
  return recent;
}

// Returns the number of a node. Keeps the recent frames further in as long as they may still match,
// because each frame names its caller.
std::uint32_t CallChainTree::number_of(const StackNode& node, std::size_t depth, Recent& recent) {
  std::vector<Numbered>& frames = recent.frames;
  if (depth < frames.size() && frames[depth].node == node) return frames[depth].number;
  const std::uint32_t number = nodes_.number_of(node);
  frames.resize(depth);
  frames.push_back({node, number});
  return number;
}

StackNode CallChainTree::node_of(pid_t pid, const unwind::ModuleMap& map, std::uint64_t time,
                                 const unwind::Frame& frame) {
  StackNode node{};
  node.address = frame.address;
  node.method = static_cast<std::uint8_t>(frame.method);
  node.flags = frame.is_exact ? spool::kExactAddress : std::uint8_t{0};
  // The look-up uses an address inside of the function, because the return address may belong to
  // the next function, or to the next mapping.
  const unwind::Mapping* mapping = map.find(frame.lookup_address(), time);
  if (mapping == nullptr) return node;
  if (!mapping->module) {
    node.module = jit_module_of(pid, map.makers_of_code(*mapping));
    node.flags |= spool::kJitCode;
    return node;
  }
  node.module = module_of(*mapping->module);
  node.offset = frame.address - mapping->start + mapping->offset;
  return node;
}

std::uint32_t CallChainTree::module_of(unwind::Module& module) {
  const auto [found, is_new] = modules_.try_emplace(&module, next_module_);
  if (!is_new) return found->second;
  if (!module.is_at_path()) elsewhere_[next_module_].readable_path = module.readable_path();
  fresh_modules_.push_back({.id = next_module_++,
                            .path = module.path(),
                            .inode = module.identity().inode,
                            .modified = module.modified(),
                            .build_id = module.build_id(),
                            .is_elsewhere = !module.is_at_path()});
  return found->second;
}

// `makers`: the process itself, then the processes that it was forked from and that may have made
// the code.
std::uint32_t CallChainTree::jit_module_of(pid_t pid, std::span<const pid_t> makers) {
  const pid_t owner = makers.empty() ? pid : makers.back();
  const auto [found, is_new] = jit_modules_.try_emplace({pid, owner}, next_module_);
  if (!is_new) return found->second;
  spool::StackModuleNote note{.id = next_module_++, .path = spool::perf_map_of(pid), .jit_of = pid};
  for (const pid_t maker : makers)
    if (maker != pid) note.inherited_from.push_back(maker);
  fresh_modules_.push_back(std::move(note));
  return found->second;
}

// Names the functions now, because the files may no longer exist when the report is made.
void CallChainTree::name_functions(std::span<const StackNode> nodes, const Sinks& sinks) {
  if (elsewhere_.empty()) return;
  std::map<std::uint32_t, spool::StackFunctionsNote> notes;
  for (const StackNode& node : nodes) {
    const auto found = elsewhere_.find(node.module);
    if (found == elsewhere_.end() || found->second.readable_path.empty()) continue;
    const std::uint64_t offset =
        (node.flags & spool::kExactAddress) != 0 ? node.offset : node.offset - 1;
    if (!found->second.named.insert(offset).second) continue;
    auto function = symbolizer_.in_file(found->second.readable_path, offset);
    if (!function.is_resolved) continue;
    spool::StackFunctionsNote& note = notes[node.module];
    note.module = node.module;
    note.functions.emplace_back(offset, std::move(function.name));
  }
  for (const auto& [module, note] : notes) sinks.functions(note);
}

void CallChainTree::take_definitions(const Sinks& sinks) {
  for (const spool::StackModuleNote& module : fresh_modules_) sinks.module(module);
  fresh_modules_.clear();
  if (next_fresh_ == nodes_.next_number()) return;
  const auto fresh = nodes_.from(next_fresh_);
  name_functions(fresh, sinks);
  sinks.nodes({next_fresh_, std::exchange(generation_flag_, 0)}, std::as_bytes(fresh));
  next_fresh_ = nodes_.next_number();
  if (nodes_.size() < most_nodes_) return;
  nodes_.forget();
  for (Recent& recent : recent_) recent = {};
  generation_flag_ = spool::kNewGeneration;
}

}  // namespace prof::sampler
