// Addresses to function names, after the run.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace prof::symbols {

struct FunctionName {
  std::string name;          // demangled; "libfoo.so+0x1234" if it is not known
  std::string module;        // the file's path, or what the caller said
  std::uint64_t offset = 0;  // in the function; in the file if it is not known
  bool is_resolved = false;
};

// Reads each file once; may be asked by several threads.
class Symbolizer {
 public:
  explicit Symbolizer(std::vector<std::string> debug_folders = {"/usr/lib/debug"});
  ~Symbolizer();

  // What is at that offset of the file. For a caller's frame ask for its return address - 1. With a
  // build-id (hexadecimal), a file that has another one is not used.
  FunctionName in_file(const std::string& path, std::uint64_t file_offset,
                       const std::string& build_id = {});
  // Code that a JIT compiler has told of in `perf_map` ("/tmp/perf-PID.map").
  FunctionName in_perf_map(const std::string& perf_map, std::uint64_t address);

 private:
  struct File;
  File& file_of(const std::string& path, const std::string& build_id);

  std::vector<std::string> debug_folders_;
  std::mutex mutex_;  // of files_ alone; each is read under its own
  std::map<std::pair<std::string, std::string>, std::unique_ptr<File>> files_;
};

}  // namespace prof::symbols
