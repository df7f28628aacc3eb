#include "collector/sampler/running_tasks.hpp"

#include <fstream>
#include <string>

#include "collector/sampler/tasks.hpp"
#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"
#include "common/base/raw_time.hpp"

namespace prof::sampler {

Tasks running_tasks(const std::vector<pid_t>& processes) {
  Tasks tasks{processes, {}, true};
  for (const pid_t pid : processes)
    for (const pid_t tid : base::threads_of(pid)) tasks.threads.push_back(tid);
  return tasks;
}

void add_running_tasks(KernelRecordBuffer& records) {
  add_running_tasks(records, base::ids_in("/proc"));
}

void add_running_tasks(KernelRecordBuffer& records, const std::vector<pid_t>& processes) {
  for (const pid_t pid : processes) {
    for (const pid_t tid : base::threads_of(pid)) {
      std::ifstream file(base::proc_path(pid, tid, "comm"));
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
