// Finds the names of functions by address, after the run.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/code/symbols/file_version.hpp"

namespace prof::symbols {

struct FunctionName {
  std::string name;          // demangled; "libfoo.so+0x1234" if unknown
  std::string module;        // the file's path, or the caller's name for it
  std::uint64_t offset = 0;  // in the function; in the file if that is unknown
  bool is_resolved = false;
};

// Returns the name for an unknown function: "libfoo.so+0x1234".
FunctionName unresolved(const std::string& path, std::uint64_t file_offset);

// Reads each file once. Several threads may use it.
class Symbolizer {
 public:
  explicit Symbolizer(std::vector<std::string> debug_folders = {"/usr/lib/debug"});
  ~Symbolizer();

  // Returns the function at an offset of the file. For a caller's frame, look up its return address
  // - 1. A file of another version is not used.
  FunctionName in_file(const std::string& path, std::uint64_t file_offset,
                       const FileVersion& version = {});
  // Returns a function that a JIT compiler listed in `perf_map` ("/tmp/perf-PID.map").
  FunctionName in_perf_map(const std::string& perf_map, std::uint64_t address);

 private:
  struct File;
  File& file_of(const std::string& path, const FileVersion& version);

  std::vector<std::string> debug_folders_;
  std::mutex mutex_;  // protects files_; each file has its own once_flag
  std::map<std::pair<std::string, FileVersion>, std::unique_ptr<File>> files_;
};

}  // namespace prof::symbols
