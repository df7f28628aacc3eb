// A tree of call chains, for the spool. Chains share the nodes of their outer frames.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collector/sampler/node_index.hpp"
#include "collector/spool/notes.hpp"
#include "collector/spool/stack_records.hpp"
#include "common/code/symbols/symbolizer.hpp"
#include "common/code/unwind/call_chain.hpp"
#include "common/code/unwind/module_map.hpp"

namespace prof::sampler {

// The thread of a call chain. The tid only serves to find the thread's last chain, so it may be of
// another pid namespace.
struct ChainOwner {
  pid_t pid;
  std::uint32_t tid;

  bool operator==(const ChainOwner&) const = default;
};

class CallChainTree {
 public:
  // Adds a call chain and returns the node of its innermost frame, or 0 if it has no frames.
  // `kernel`: addresses of the kernel's frames, which are the inner ones, innermost first.
  std::uint32_t add(ChainOwner owner, const unwind::ModuleMap& map, std::uint64_t time,
                    std::span<const std::uint64_t> kernel, const unwind::CallChain& chain);

  // Receives what was defined since the last call: notes of modules, names of functions whose file
  // nobody can read later, then nodes. They must be in the spool before records that refer to them.
  struct Sinks {
    std::function<void(const spool::StackModuleNote&)> module;
    std::function<void(const spool::StackFunctionsNote&)> functions;
    std::function<void(const spool::StackPieceHeader&, std::span<const std::byte>)> nodes;
  };
  void take_definitions(const Sinks& sinks);
  // Sets the number of nodes after which all nodes are defined again, so that the earlier ones need
  // not be kept.
  void set_most_nodes(std::size_t most) { most_nodes_ = most; }

 private:
  // A node with its number.
  struct Numbered {
    spool::StackNode node;
    std::uint32_t number;
  };
  // The last call chain of a thread, outermost frame first. The next one usually has the same outer
  // frames.
  struct Recent {
    ChainOwner owner{};
    std::vector<Numbered> frames;
  };
  Recent& recent_of(ChainOwner owner);
  // `depth`: of the frame, counted from the outermost. Frames further out have been found already.
  std::uint32_t number_of(const spool::StackNode& node, std::size_t depth, Recent& recent);

  spool::StackNode node_of(pid_t pid, const unwind::ModuleMap& map, std::uint64_t time,
                           const unwind::Frame& frame);
  std::uint32_t module_of(unwind::Module& module);
  std::uint32_t jit_module_of(pid_t pid, std::span<const pid_t> makers);
  void name_functions(std::span<const spool::StackNode> nodes, const Sinks& sinks);

  // A node takes about 50 bytes in the index. Beyond this number the index is emptied, and nodes
  // are defined again.
  std::size_t most_nodes_ = std::size_t{1} << 20;
  std::uint32_t generation_flag_ = 0;  // flag for the next nodes that are passed to the sinks

  // Threads; a chain mostly takes 5 KiB, and at most 40 KiB.
  static constexpr std::size_t kRecent = 256;

  std::array<Recent, kRecent> recent_;
  NodeIndex nodes_;
  std::uint32_t next_fresh_ = 1;  // nodes from this one on have not been passed to the sinks
  std::unordered_map<const unwind::Module*, std::uint32_t> modules_;
  std::map<std::pair<pid_t, pid_t>, std::uint32_t>
      jit_modules_;  // by process, and process that made the code
  std::uint32_t next_module_ = spool::kFirstModule;
  std::vector<spool::StackModuleNote> fresh_modules_;
  // A file that is not at its path.
  struct Elsewhere {
    std::string readable_path;
    std::unordered_set<std::uint64_t> named;  // offsets of functions that have names
  };
  std::unordered_map<std::uint32_t, Elsewhere> elsewhere_;  // by number of the module
  symbols::Symbolizer symbolizer_;                          // for files that are not at their paths
};

}  // namespace prof::sampler
