// Finds the file of a mapping, which may not be at its path: programs run from a memfd, files are
// removed or replaced while they run, and another mount namespace has other files. The kernel keeps
// such a file as long as a process has it mapped.
#pragma once

#include <sys/types.h>

#include <string>

#include "common/code/symbols/file_version.hpp"
#include "common/code/unwind/process_maps.hpp"

namespace prof::unwind {

struct MappedFile {
  std::string path;              // where prof can open the file; empty: nowhere
  bool is_at_path = false;       // `path` is the root and the mapping's own path
  symbols::FileVersion version;  // of the file that was found
};

// Returns the path of the mapping's file without the kernel's remark " (deleted)". `root` is put
// before the path.
std::string path_of_file(const MapEvent& mapping, const std::string& root);

// Finds the file. `path` is the result of path_of_file(). With pid 0 (unknown) only `path` itself
// is tried.
MappedFile find_mapped_file(pid_t pid, const MapEvent& mapping, const std::string& path,
                            const std::string& root);

// True if the process has an ELF file at the mapping, even if nobody can open the file.
bool is_elf_in_memory(pid_t pid, const MapEvent& mapping);

}  // namespace prof::unwind
