// Facts about this machine, for TARGET_INFO_SYSTEM_ENV.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace prof::session {

// An array of [name, nsys's number for it, value]. No environment variables.
nlohmann::json describe_host();

// PCI locations of this machine's GPUs as NVIDIA's driver lists them, lowest first: "0000:06:00.0".
// None without that driver.
std::vector<std::string> gpu_locations(
    const std::filesystem::path& folder = "/proc/driver/nvidia/gpus");

// CPUs this process may run on.
int available_cpus();

}  // namespace prof::session
