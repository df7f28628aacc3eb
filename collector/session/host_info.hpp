// Facts about this machine, for TARGET_INFO_SYSTEM_ENV.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "collector/spool/notes.hpp"

namespace prof::session {

// Environment variables are not included.
std::vector<spool::SystemFact> describe_host();

// PCI locations of this machine's GPUs as NVIDIA's driver lists them, such as "0000:06:00.0",
// lowest first. Empty without that driver.
std::vector<std::string> gpu_locations(
    const std::filesystem::path& folder = "/proc/driver/nvidia/gpus");

// Returns the number of CPUs that this process may run on.
int available_cpus();

}  // namespace prof::session
