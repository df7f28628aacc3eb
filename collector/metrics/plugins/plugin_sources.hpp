// Makes the sources that `--enable` names.
#pragma once

#include <vector>

#include "collector/metrics/plugins/catalog.hpp"
#include "collector/metrics/polling_thread.hpp"
#include "collector/metrics/system/system_readers.hpp"

namespace prof::metrics {

// GPUs have separate threads, because a driver can take long to answer. Counters that take long to
// read have one thread more.
struct PluginThreads {
  PollingThread& system;
  PollingThread& gpus;
  PollingThread& meters;
};

// Errors are about arguments, such as an invalid regular expression.
base::Status add_plugin_sources(const std::vector<PluginRequest>& requests,
                                const PluginThreads& threads, const SystemRoot& root = {});

}  // namespace prof::metrics
