// The words of `--enable` in prof profile: groups of counters, spelled like nsys's plugins.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace prof::metrics {

struct PluginRequest {
  std::string name;
  std::map<std::string, std::string> arguments;  // by long name, without dashes
};

std::vector<std::string> plugin_names();

// Returns names and arguments, for the terminal.
std::string plugin_help();

// Parses the value of one `--enable`: "nvml_metrics,-i10" or "network_interface,storage_metrics". A
// word that does not start with a dash starts another plugin. A backslash keeps the character after
// it, so "\," does not separate. Errors suggest the nearest word.
base::Result<std::vector<PluginRequest>> parse_plugins(const std::string& text);

// True if the text asks for plugin_help().
bool asks_for_plugin_help(const std::string& text);

}  // namespace prof::metrics
