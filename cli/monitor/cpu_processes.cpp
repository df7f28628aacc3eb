#include "cli/monitor/cpu_processes.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "collector/metrics/nvml/gpu_processes.hpp"
#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"
#include "common/base/raw_time.hpp"

namespace prof::cli {

const std::vector<CpuProcess>& CpuProcesses::read(std::uint64_t time) {
  constexpr int kUserTicks = 14, kKernelTicks = 15, kStart = 22, kPages = 24;  // proc_pid_stat(5)
  constexpr double kPercent = 100, kNano = 1e-9;
  constexpr std::uint64_t kRests = 9;
  if (time < due_) return processes_;
  const std::uint64_t begin = base::raw_time();
  const double seconds = static_cast<double>(time - time_) * kNano;
  const auto ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  std::map<pid_t, Used> now;
  processes_.clear();
  for (const pid_t pid : base::ids_in(proc_)) {
    const std::string stat = base::read_proc_file(proc_ + "/" + std::to_string(pid) + "/stat");
    const auto field = [&](int number) { return base::number_in(base::stat_field(stat, number)); };
    if (stat.empty()) continue;
    const Used used{field(kUserTicks) + field(kKernelTicks), field(kStart)};
    now[pid] = used;
    // All time of a process that is new lies between the readings.
    const auto before = before_.find(pid);
    const std::uint64_t from =
        before != before_.end() && before->second.start == used.start ? before->second.ticks : 0;
    if (time_ == 0 || used.ticks <= from) continue;
    const double cpu = static_cast<double>(used.ticks - from) / ticks_per_second / seconds;
    processes_.push_back({static_cast<unsigned>(pid),
                          nvml::process_name(static_cast<unsigned>(pid), proc_), cpu * kPercent,
                          static_cast<double>(field(kPages)) * page});
  }
  std::ranges::stable_sort(processes_, std::greater(), &CpuProcess::cpu);
  before_ = std::move(now);
  time_ = time;
  due_ = time + kRests * (base::raw_time() - begin);
  return processes_;
}

}  // namespace prof::cli
