// Records which code was at an address at a time in one process image. An exec starts a new image.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "common/code/unwind/module.hpp"
#include "common/code/unwind/process_maps.hpp"

namespace prof::unwind {

// Executable memory [start, end) in the time [from, until).
struct Mapping {
  std::uint64_t start = 0, end = 0;
  std::uint64_t from = 0, until = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t offset = 0;
  std::shared_ptr<Module> module;  // null: code without a file, for example of a JIT compiler
  pid_t owner = 0;  // the process that mapped it: this process, or one it was forked from

  bool holds(std::uint64_t address, std::uint64_t time) const {
    return address >= start && address < end && time >= from && time < until;
  }
};

class ModuleMap {
 public:
  // Makes an empty map. With pid 0 (unknown) there is no code of JIT compilers.
  explicit ModuleMap(Modules& modules, pid_t pid = 0)
      : modules_(&modules), lineage_{pid}, jit_(modules.jit().of(pid)) {}

  // Returns the map that a fork child starts with.
  ModuleMap forked(pid_t child, std::uint64_t time) const;

  // Adds a mapping of `module`. Uses only the addresses and times of `mapping`.
  void add_module(std::shared_ptr<Module> module, Mapping mapping);
  // Adds a mapping and ends older ones in its place, because perf does not report munmap. Events
  // may come slightly out of order.
  void add(const MapEvent& event);
  void remove(std::uint64_t start, std::uint64_t length, std::uint64_t time);
  // Releases mappings that ended before `time`, because no sample of that time can follow.
  void forget_before(std::uint64_t time);

  // Returns the mapping at an address, or null if no executable memory is known there. Valid until
  // the map changes.
  const Mapping* find(std::uint64_t address, std::uint64_t time) const;
  // True if something is known to be mapped in the range.
  bool is_occupied(std::uint64_t start, std::uint64_t end) const;

  // Returns the processes that may have put code into a mapping: this process, the process it was
  // forked from, and so on to the mapping's owner.
  std::span<const pid_t> makers_of_code(const Mapping& mapping) const;

  // The code without a module, made by JIT compilers.
  JitCode& jit() const { return *jit_; }

  std::size_t live_count() const { return live_.size(); }
  std::size_t ended_count() const { return ended_.size(); }

 private:
  struct Ended {
    Mapping mapping;
    std::uint64_t highest_end = 0;  // the highest end of this entry and all entries before it
  };
  pid_t pid() const { return lineage_.front(); }
  std::shared_ptr<Module> module_of(const MapEvent& event) const;
  void insert(Mapping mapping);
  void end(Mapping mapping, std::uint64_t time);
  void update_highest_ends(std::size_t first);

  Modules* modules_;
  std::vector<pid_t> lineage_;  // this process, the one it was forked from, …
  std::shared_ptr<JitCode> jit_;
  std::vector<Mapping> live_;  // sorted by address, without overlaps
  std::vector<Ended> ended_;   // sorted by address
};

}  // namespace prof::unwind
