#include "collector/sampler/running_tasks.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "collector/base/raw_time.hpp"

namespace prof::sampler {

namespace {

namespace fs = std::filesystem;

// The entries of a folder of /proc that are numbers. They come and go meanwhile.
std::vector<std::uint32_t> numbers_in(const fs::path& folder) {
  std::vector<std::uint32_t> numbers;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::uint32_t number = 0;
    const auto [rest, failure] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (failure == std::errc() && rest == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

void add_running_tasks(KernelRecordBuffer& records) {
  const fs::path proc = "/proc";
  for (const std::uint32_t pid : numbers_in(proc)) {
    const fs::path tasks = proc / std::to_string(pid) / "task";
    for (const std::uint32_t tid : numbers_in(tasks)) {
      std::ifstream file(tasks / std::to_string(tid) / "comm");
      std::string name;
      if (!std::getline(file, name)) continue;
      records.append({base::raw_time(), pid, tid, 0, ingest::KernelRecordType::kName,
                      ingest::kNameFromProc, 0},
                     name);
    }
  }
}

}  // namespace prof::sampler
