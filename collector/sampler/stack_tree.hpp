// Call chains, interned as a tree for the spool.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/ingest/stack_records.hpp"
#include "collector/unwind/call_chain.hpp"
#include "collector/unwind/module_map.hpp"

namespace prof::sampler {

class StackTree {
 public:
  // The node of the chain's innermost frame; 0 for a chain without frames. `kernel`: addresses of
  // the kernel's frames inside of it, innermost first.
  std::uint32_t add(pid_t pid, const unwind::ModuleMap& map, std::uint64_t time,
                    std::span<const std::uint64_t> kernel, const unwind::CallChain& chain);

  // Hands over what was defined since the last time: notes of type "stack_module", then nodes. Has
  // to come into the spool before what refers to it.
  using NoteSink = std::function<void(const nlohmann::json&)>;
  using NodeSink = std::function<void(const ingest::StackPieceHeader&, std::span<const std::byte>)>;
  void take_definitions(const NoteSink& notes, const NodeSink& nodes);

 private:
  struct KeyHash {
    std::size_t operator()(const ingest::StackNode& node) const;
  };
  struct KeyEqual {
    bool operator()(const ingest::StackNode& a, const ingest::StackNode& b) const;
  };
  std::uint32_t intern(const ingest::StackNode& node);
  ingest::StackNode node_of(pid_t pid, const unwind::ModuleMap& map, std::uint64_t time,
                            const unwind::Frame& frame);
  std::uint32_t module_of(unwind::Module& module);
  std::uint32_t jit_module_of(pid_t pid);

  std::unordered_map<ingest::StackNode, std::uint32_t, KeyHash, KeyEqual> known_;
  std::vector<ingest::StackNode> fresh_;  // not yet handed over
  std::uint32_t next_node_ = 1;
  std::unordered_map<const unwind::Module*, std::uint32_t> modules_;
  std::unordered_map<pid_t, std::uint32_t> jit_modules_;
  std::uint32_t next_module_ = ingest::kFirstModule;
  std::vector<nlohmann::json> fresh_modules_;
};

}  // namespace prof::sampler
