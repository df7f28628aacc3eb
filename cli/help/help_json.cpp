#include "cli/help/help_json.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/messages/failure.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/error_option.hpp"
#include "cli/verbs/verbs.hpp"
#include "cli/version.hpp"
#include "exporters/analysis/analyze/catalog.hpp"
#include "exporters/analysis/analyze/report_diagnosis.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::cli {

namespace {

using Object = nlohmann::ordered_json;

Object option_json(const CLI::Option& option, const Verb& verb) {
  Object names = Object::array();
  for (const std::string& each : option.get_snames()) names.push_back('-' + each);
  for (const std::string& each : option.get_lnames()) names.push_back("--" + each);
  const bool is_positional = names.empty();
  if (is_positional) names.push_back(option.get_name());
  Object object = {{"names", names}, {"text", option.get_description()}};
  if (is_positional) object["positional"] = true;
  const bool takes_value = option.get_items_expected_max() > 0;
  object["takes_value"] = takes_value;
  if (takes_value && !option.get_type_name().empty()) object["type"] = option.get_type_name();
  if (option.get_items_expected_max() > 1) object["list"] = true;
  if (!option.get_default_str().empty()) object["default"] = option.get_default_str();
  const std::vector<std::string> words = verb.words_of(names.back().get<std::string>());
  if (!words.empty()) object["words"] = words;
  if (option.get_group().empty()) object["without_effect"] = true;
  return object;
}

Object verb_json(Verb& verb) {
  Object object = {{"name", verb.name()}, {"summary", verb.summary()}};
  if (*verb.other_name() != '\0') object["other_name"] = verb.other_name();
  if (verb.takes_command()) object["takes_command"] = true;
  CLI::App app(verb.summary(), verb.name());
  verb.define(app);
  add_error_option(app);
  Object options = Object::array();
  for (const CLI::Option* each : app.get_options()) options.push_back(option_json(*each, verb));
  object["options"] = std::move(options);
  object["examples"] = app.get_footer();
  return object;
}

Object statistics() {
  Object list = Object::array();
  for (const stats::Statistic& each : stats::catalog())
    list.push_back({{"name", each.name}, {"title", each.title}, {"help", each.help}});
  return list;
}

Object rules() {
  Object list = Object::array();
  for (const analyze::Rule& each : analyze::catalog())
    list.push_back({{"name", each.name}, {"title", each.title}, {"help", each.help}});
  return list;
}

}  // namespace

std::string help_json(const std::string& verb) {
  Object verbs = Object::array();
  std::vector<std::string> names;
  for (const auto& each : make_verbs()) {
    names.emplace_back(each->name());
    if (verb.empty() || verb == each->name() || verb == each->other_name())
      verbs.push_back(verb_json(*each));
  }
  if (verbs.empty())
    throw Failure("unknown verb " + verb + suggestion(verb, names), kBadUsage, "unknown_verb");
  Object object = {{"schema", "prof.help/1"}, {"version", kVersion}, {"verbs", std::move(verbs)}};
  if (verb.empty()) {
    object["statistics"] = statistics();
    object["rules"] = rules();
    object["findings"] = analyze::finding_names();
  }
  return object.dump(-1, ' ', false, Object::error_handler_t::replace) + '\n';
}

}  // namespace prof::cli
