#include "cli/options/metrics/plugin_options.hpp"

#include "cli/failure.hpp"

namespace prof::cli {

namespace {

void take_plugins(const std::string& text, std::vector<metrics::PluginRequest>& plugins,
                  bool& asks_for_help) {
  asks_for_help = asks_for_help || metrics::asks_for_plugin_help(text);
  if (asks_for_help) return;
  auto requests = metrics::parse_plugins(text);
  if (!requests) throw Failure("--enable: " + requests.error().message, kBadUsage);
  for (metrics::PluginRequest& each : *requests) plugins.push_back(std::move(each));
}

}  // namespace

std::vector<std::string> plugin_words() {
  std::vector<std::string> names = metrics::plugin_names();
  names.emplace_back("help");
  return names;
}

void add_plugin_options(CLI::App& app, std::vector<metrics::PluginRequest>& plugins,
                        bool& asks_for_help) {
  app.add_option_function<std::vector<std::string>>(
         "--enable",
         [&plugins, &asks_for_help](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) take_plugins(text, plugins, asks_for_help);
         },
         "Counters to sample, each with its arguments: NAME,-iMS,…; help lists them; may be given "
         "several times")
      ->allow_extra_args(false)
      ->type_name("NAME[,ARGUMENT]…");
}

}  // namespace prof::cli
