// What `--enable` of prof profile names: groups of counters, spelled as nsys spells its plugins.
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

// Names and arguments, for the terminal.
std::string plugin_help();

// Takes what one `--enable` has: "nvml_metrics,-i10" or "network_interface,storage_metrics". A word
// that does not start with a dash starts another plugin. A backslash keeps the character after it,
// so "\," does not separate. Errors suggest the nearest word.
base::Result<std::vector<PluginRequest>> parse_plugins(const std::string& text);

// Does the text ask for plugin_help()?
bool asks_for_plugin_help(const std::string& text);

}  // namespace prof::metrics
