// What a process has mapped, and the functions of its libraries, as seen from outside.
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
  std::string path;  // empty: no file; or "[stack]", "[vdso]"

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

  // Reads /proc/PID/maps. Returns false if that is not allowed or the process has ended.
  bool read_mappings();
  const std::vector<Module>& modules() const { return modules_; }
  // Returns the module whose file name begins so, or null.
  const Module* module_named(const std::string& begin_of_name) const;
  const Module* module_at(std::uint64_t address) const;
  const Mapping* mapping_at(std::uint64_t address) const;

  // Returns the address of a function or variable that the module defines, in its default version.
  std::optional<std::uint64_t> find(const Module& module, const std::string& name) const;
  // Returns the first address in the module's code that has these bytes.
  std::optional<std::uint64_t> find_code(const Module& module, const std::string& bytes) const;

  // Returns the words of a stack from the stack pointer to the end of its mapping, but at most this
  // number of bytes. Nothing if they cannot be read.
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
