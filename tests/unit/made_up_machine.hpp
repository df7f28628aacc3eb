// A tree of /proc and /sys that a test makes up.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "collector/metrics/system/system_readers.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::test {

class MadeUpMachine {
 public:
  metrics::SystemRoot root() const { return {path("proc"), path("sys")}; }
  std::string path(const std::string& name) const { return directory_.file(name); }

  // Writes a file of the tree. A file that is written again keeps its inode, as those of the
  // kernel do.
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
  void link(const std::string& name, const std::string& target) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::filesystem::create_symlink(path(target), path(name));
  }
  void remove(const std::string& name) const { std::filesystem::remove_all(path(name)); }

 private:
  TemporaryDirectory directory_;
};

// What a reader reads, by the names of its counters.
inline std::map<std::string, double> values_of(metrics::CounterReader& reader) {
  std::vector<double> values(reader.group().counters.size());
  std::map<std::string, double> result;
  if (reader.read(values) != metrics::ReadOutcome::kRead) return result;
  for (std::size_t i = 0; i < values.size(); ++i)
    result[reader.group().counters[i].name] = values[i];
  return result;
}

inline std::vector<std::string> devices_of(const metrics::CounterReaders& readers) {
  std::vector<std::string> names;
  for (const auto& each : readers) names.push_back(each->group().device);
  return names;
}

}  // namespace prof::test
