// What a process has mapped, and functions of its libraries, found from outside.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/ptrace/memory.hpp"
#include "common/base/proc_ids.hpp"

namespace prof::attach {

struct Mapping {
  std::uint64_t begin = 0, end = 0, offset = 0;
  bool is_executable = false;
  std::uint64_t inode = 0;
  std::string path;  // empty: none; "[stack]", "[vdso]"

  bool has(std::uint64_t address) const { return address >= begin && address < end; }
};

// All mappings of one file.
struct Module {
  std::string path;
  std::uint64_t begin = 0, end = 0;
  std::uint64_t inode = 0;
  bool has(std::uint64_t address) const { return address >= begin && address < end; }
  std::string file_name() const { return path.substr(path.rfind('/') + 1); }
};

class TargetMemory {
 public:
  explicit TargetMemory(pid_t process) : thread_(base::living_thread(process)), memory_(thread_) {}

  // Reads /proc/PID/maps. False if that is not allowed, or the process has ended.
  bool read_mappings();
  const std::vector<Module>& modules() const { return modules_; }
  // Null: there is none with a file name that begins so.
  const Module* module_named(const std::string& begin_of_name) const;
  const Module* module_at(std::uint64_t address) const;
  const Mapping* mapping_at(std::uint64_t address) const;

  // A function or variable that the module defines, in its default version.
  std::optional<std::uint64_t> find(const Module& module, const std::string& name) const;
  // The first place in the module's code with these bytes.
  std::optional<std::uint64_t> find_code(const Module& module, const std::string& bytes) const;

  // The words of a stack from here to the end of its mapping; at most this number of bytes. Nothing
  // if they cannot be read.
  std::optional<std::vector<std::uint64_t>> stack_words(std::uint64_t stack_pointer,
                                                        std::uint64_t most_bytes) const;

  const ptrace::Memory& memory() const { return memory_; }

 private:
  pid_t thread_;
  ptrace::Memory memory_;
  std::vector<Mapping> mappings_;
  std::vector<Module> modules_;
};

}  // namespace prof::attach
