#include "collector/sampler/stack_tree.hpp"

#include <cstring>

namespace prof::sampler {

using ingest::StackNode;

namespace {

// Known nodes take about 64 bytes each. Beyond that they are defined anew.
constexpr std::size_t kMostNodes = std::size_t{1} << 20;

StackNode mark(unwind::Stop stop) {
  StackNode node{};
  node.flags = stop == unwind::Stop::kDepth ? ingest::kMaxDepthMark : ingest::kBrokenMark;
  return node;
}

constexpr std::uint8_t kKernelContext = 5;  // ENUM_STACK_UNWIND_METHOD

}  // namespace

std::size_t StackTree::KeyHash::operator()(const StackNode& node) const {
  std::uint64_t words[sizeof node / 8];
  std::memcpy(words, &node, sizeof node);
  std::uint64_t hash = 0;
  for (const std::uint64_t word : words) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

bool StackTree::KeyEqual::operator()(const StackNode& a, const StackNode& b) const {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

std::uint32_t StackTree::add(pid_t pid, const unwind::ModuleMap& map, std::uint64_t time,
                             std::span<const std::uint64_t> kernel,
                             const unwind::CallChain& chain) {
  std::uint32_t at = 0;
  if (!chain.is_complete()) at = intern(mark(chain.stop));
  for (auto frame = chain.frames.rbegin(); frame != chain.frames.rend(); ++frame) {
    StackNode node = node_of(pid, map, time, *frame);
    node.caller = at;
    at = intern(node);
  }
  for (std::size_t i = kernel.size(); i-- > 0;) {
    StackNode node{};
    node.caller = at;
    node.module = ingest::kKernelModule;
    node.address = kernel[i];
    node.method = kKernelContext;
    node.flags = i == 0 ? ingest::kExactAddress : std::uint8_t{0};
    at = intern(node);
  }
  return at;
}

std::uint32_t StackTree::intern(const StackNode& node) {
  if (known_.size() >= kMostNodes) known_.clear();
  const auto [found, is_new] = known_.try_emplace(node, next_node_);
  if (is_new) {
    fresh_.push_back(node);
    ++next_node_;
  }
  return found->second;
}

StackNode StackTree::node_of(pid_t pid, const unwind::ModuleMap& map, std::uint64_t time,
                             const unwind::Frame& frame) {
  StackNode node{};
  node.address = frame.address;
  node.method = static_cast<std::uint8_t>(frame.method);
  node.flags = frame.is_exact ? ingest::kExactAddress : std::uint8_t{0};
  // By the address that lies in the function: that behind a call may be of the next one, or of the
  // next mapping.
  const unwind::Mapping* mapping = map.find(frame.lookup_address(), time);
  if (mapping == nullptr) return node;
  if (!mapping->module) {
    node.module = jit_module_of(pid);
    node.flags |= ingest::kJitCode;
    return node;
  }
  node.module = module_of(*mapping->module);
  node.offset = frame.address - mapping->start + mapping->offset;
  return node;
}

std::uint32_t StackTree::module_of(unwind::Module& module) {
  const auto [found, is_new] = modules_.try_emplace(&module, next_module_);
  if (is_new)
    fresh_modules_.push_back({{"type", "stack_module"},
                              {"id", next_module_++},
                              {"path", module.path()},
                              {"inode", module.identity().inode},
                              {"build_id", module.build_id()}});
  return found->second;
}

std::uint32_t StackTree::jit_module_of(pid_t pid) {
  const auto [found, is_new] = jit_modules_.try_emplace(pid, next_module_);
  if (is_new)
    fresh_modules_.push_back({{"type", "stack_module"},
                              {"id", next_module_++},
                              {"jit_of", pid},
                              {"path", "/tmp/perf-" + std::to_string(pid) + ".map"}});
  return found->second;
}

void StackTree::take_definitions(const NoteSink& notes, const NodeSink& nodes) {
  for (const nlohmann::json& module : fresh_modules_) notes(module);
  fresh_modules_.clear();
  if (fresh_.empty()) return;
  nodes({next_node_ - static_cast<std::uint32_t>(fresh_.size()), 0},
        std::as_bytes(std::span(fresh_)));
  fresh_.clear();
}

}  // namespace prof::sampler
