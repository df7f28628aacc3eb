#include "collector/sampler/running_tasks.hpp"

#include <fstream>
#include <string>

#include "collector/base/proc_ids.hpp"
#include "collector/base/raw_time.hpp"

namespace prof::sampler {

void add_running_tasks(KernelRecordBuffer& records) {
  for (const pid_t pid : base::ids_in("/proc")) {
    const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
    for (const pid_t tid : base::ids_in(tasks)) {
      std::ifstream file(tasks + "/" + std::to_string(tid) + "/comm");
      std::string name;
      if (!std::getline(file, name)) continue;
      records.append(
          {base::raw_time(), static_cast<std::uint32_t>(pid), static_cast<std::uint32_t>(tid), 0,
           spool::KernelRecordType::kName, spool::kNameFromProc, 0},
          name);
    }
  }
}

}  // namespace prof::sampler
