// Names of global variables by address, to name locks.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/code/unwind/process_maps.hpp"

namespace prof::live {

// Reads each file once, for all processes.
class Variables {
 public:
  // Returns the variable that holds the address, or an empty string if none is known. `maps`: all
  // mappings of the process `pid`. `root` is put before the paths of its files.
  std::string find(pid_t pid, const std::vector<unwind::MapEvent>& maps, const std::string& root,
                   std::uint64_t address);

 private:
  struct Variable {
    std::uint64_t address, size;
    std::string name;  // mangled
  };
  struct File {
    std::uint64_t first_address = 0;  // address, as linked, of the first mapped byte
    std::vector<Variable> variables;  // by address
  };
  static File read(const std::string& path, std::uint64_t first_offset);

  std::map<std::string, File> files_;
};

}  // namespace prof::live
