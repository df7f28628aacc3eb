// Facts about this machine, for TARGET_INFO_SYSTEM_ENV.
#pragma once

#include <nlohmann/json.hpp>

namespace prof::session {

// An array of [name, nsys's number for it, value]. No environment variables.
nlohmann::json describe_host();

// CPUs this process may run on.
int available_cpus();

}  // namespace prof::session
