#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "cli/output/ci/checks.hpp"
#include "cli/version.hpp"
#include "common/base/text/json.hpp"

namespace prof::cli {

namespace {

using Object = nlohmann::ordered_json;

constexpr std::size_t kMaxResults = 1'000;

// Returns a path as a URI reference: all but letters, digits and a few signs is encoded.
std::string uri_of(std::string_view path) {
  constexpr std::string_view kPlain = "/-._~";
  std::string uri;
  for (const char each : path) {
    const auto byte = static_cast<unsigned char>(each);
    if ((byte < 0x80 && std::isalnum(byte) != 0) || kPlain.find(each) != std::string_view::npos)
      uri += each;
    else
      uri += fmt::format("%{:02X}", byte);
  }
  return uri;
}

const char* level_of(const Check& check) { return check.failed ? "error" : "note"; }

Object message_of(const Check& check) {
  return {{"text", check.sentence.empty() ? check.name : check.sentence}};
}

// Findings of one rule at one place are the same result in the next run.
std::string fingerprint_of(const Check& check) {
  return fmt::format("{}:{}:{}", check.name, uri_of(check.file), check.line);
}

Object result_of(const Check& check) {
  return {{"ruleId", check.name},
          {"level", level_of(check)},
          {"message", message_of(check)},
          {"locations", Object::array({{{"physicalLocation",
                                         {{"artifactLocation", {{"uri", uri_of(check.file)}}},
                                          {"region", {{"startLine", check.line}}}}}}})},
          {"partialFingerprints", {{"prof/v1", fingerprint_of(check)}}},
          {"properties", {{"names", check.names}}}};
}

Object notification_of(const Check& check) {
  return {{"descriptor", {{"id", check.name}}},
          {"level", level_of(check)},
          {"message", message_of(check)},
          {"properties", {{"names", check.names}}}};
}

}  // namespace

std::string sarif_text(const std::vector<CheckedReport>& reports) {
  Object rules = Object::object();
  Object results = Object::array();
  Object notifications = Object::array();
  for (const CheckedReport& report : reports)
    for (const Check& check : report.checks) {
      if (check.text.empty()) continue;
      if (check.line <= 0 || results.size() == kMaxResults) {
        notifications.push_back(notification_of(check));
        continue;
      }
      rules[check.name] = {{"id", check.name}, {"shortDescription", message_of(check)}};
      results.push_back(result_of(check));
    }
  Object list = Object::array();
  for (const auto& [name, rule] : rules.items()) list.push_back(rule);
  const Object driver = {{"name", "prof"}, {"version", kVersion}, {"rules", std::move(list)}};
  const Object run = {
      {"tool", {{"driver", driver}}},
      {"invocations", Object::array({{{"executionSuccessful", true},
                                      {"toolExecutionNotifications", std::move(notifications)}}})},
      {"results", std::move(results)}};
  const Object document = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                           {"version", "2.1.0"},
                           {"runs", Object::array({run})}};
  return base::visible_json(document.dump(2, ' ', false, Object::error_handler_t::replace)) + '\n';
}

}  // namespace prof::cli
