#include "collector/session/host_info.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

namespace prof::session {

namespace {

// Returns the value after "key<separator>" in the rest of the file, without quotes and blanks.
std::string look_up(std::ifstream& file, std::string_view key, char separator) {
  for (std::string line; std::getline(file, line);) {
    if (!std::string_view(line).starts_with(key)) continue;
    const std::size_t at = line.find(separator);
    if (at == std::string::npos) continue;
    std::string value = line.substr(at + 1);
    const std::size_t first = value.find_first_not_of(" \t\"");
    const std::size_t last = value.find_last_not_of(" \t\"");
    return first == std::string::npos ? "" : value.substr(first, last - first + 1);
  }
  return "";
}

// Facts about the first CPU, from /proc/cpuinfo. The kernel asks each CPU whose lines are read, so
// only the first lines are read.
struct CpuFacts {
  std::string model;
  std::string mhz;
};

CpuFacts cpu_facts() {
  char buffer[1024];
  std::ifstream file;
  file.rdbuf()->pubsetbuf(buffer, sizeof buffer);
  file.open("/proc/cpuinfo");
  const std::string model = look_up(file, "model name", ':');
  const std::string mhz = look_up(file, "cpu MHz", ':');  // this line comes later in the file
  return {model, mhz.substr(0, mhz.find('.'))};
}

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

int available_cpus() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

std::vector<spool::SystemFact> describe_host() {
  utsname system{};
  uname(&system);
  std::vector<spool::SystemFact> rows;
  const auto add = [&](const char* name, int number, const std::string& value) {
    if (!value.empty()) rows.push_back({name, number, value});
  };
  const CpuFacts cpu = cpu_facts();
  std::ifstream release("/etc/os-release");
  add("CpuCores", 1, std::to_string(sysconf(_SC_NPROCESSORS_ONLN)));
  add("CpuSpeedMhz", 2, cpu.mhz);
  add("CpuArchitecture", 3, system.machine);
  add("Supported64BitABIs", 7, system.machine);
  add("CpuDescription", 13, cpu.model);
  add("NvDriverVersion", 205, first_line("/sys/module/nvidia/version"));
  add("HardwarePlatform", 600, system.machine);
  add("OsDescription", 605, look_up(release, "PRETTY_NAME", '='));
  add("SoftwareReleaseVersion", 618, system.release);
  add("Hostname", 619, system.nodename);
  add("IsRootEnabled", 705, geteuid() == 0 ? "1" : "0");
  add("KernelVersion", 882, system.version);
  add("LinuxParanoidLevel", 919, first_line("/proc/sys/kernel/perf_event_paranoid"));
  return rows;
}

std::vector<std::string> gpu_locations(const std::filesystem::path& folder) {
  std::vector<std::string> locations;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    locations.push_back(entry.path().filename().string());
  std::sort(locations.begin(), locations.end());
  return locations;
}

}  // namespace prof::session
