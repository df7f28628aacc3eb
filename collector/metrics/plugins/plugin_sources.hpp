// The sources of what `--enable` names.
#pragma once

#include <vector>

#include "collector/metrics/plugins/catalog.hpp"
#include "collector/metrics/polling_thread.hpp"
#include "collector/metrics/system/system_readers.hpp"

namespace prof::metrics {

// Adds sources of the machine's counters to `system` and those of GPUs to `gpus`: a driver that is
// slow to answer keeps no other counters waiting. Errors are about arguments: a regular expression
// that is none.
base::Status add_plugin_sources(const std::vector<PluginRequest>& requests, PollingThread& system,
                                PollingThread& gpus, const SystemRoot& root = {});

}  // namespace prof::metrics
