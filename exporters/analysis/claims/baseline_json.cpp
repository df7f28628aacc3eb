// Baselines as documents: prof.baseline/1.
#include <nlohmann/json.hpp>

#include "common/base/text/json.hpp"
#include "exporters/analysis/claims/baseline.hpp"

namespace prof::claims {

namespace {

using Object = nlohmann::ordered_json;

constexpr const char* kSchema = "prof.baseline/1";

Object sums_json(const Baseline::Sums& sums, bool has_bytes) {
  Object object = Object::object();
  if (!sums.name.empty()) object["name"] = sums.name;
  object.update({{"count", sums.count},
                 {"total", sums.total},
                 {"min", sums.min},
                 {"median", sums.median},
                 {"max", sums.max}});
  if (has_bytes) object["bytes"] = sums.bytes;
  return object;
}

Object kind_json(const Baseline::Kind& kind, bool has_bytes) {
  Object names = Object::array();
  for (const Baseline::Sums& each : kind.names) names.push_back(sums_json(each, has_bytes));
  return {{"all", sums_json(kind.all, has_bytes)},
          {"names", std::move(names)},
          {"left_out", kind.left_out}};
}

Baseline::Sums sums_in(const Object& object) {
  return {object.value("name", ""),
          object.at("count").get<std::int64_t>(),
          object.at("total").get<std::int64_t>(),
          object.at("min").get<std::int64_t>(),
          object.at("median").get<std::int64_t>(),
          object.at("max").get<std::int64_t>(),
          object.value("bytes", std::int64_t{0})};
}

Baseline::Kind kind_in(const Object& object) {
  Baseline::Kind kind{sums_in(object.at("all")), {}, object.at("left_out").get<std::int64_t>()};
  for (const Object& each : object.at("names")) kind.names.push_back(sums_in(each));
  return kind;
}

// Throws nlohmann's errors for values of other types.
Baseline baseline_in(const Object& object) {
  Baseline baseline{object.at("report").get<std::string>(), object.at("time").get<std::int64_t>()};
  if (object.contains("duration")) baseline.duration = object["duration"].get<std::int64_t>();
  if (object.contains("gpu_memory_peak"))
    baseline.gpu_memory_peak = object["gpu_memory_peak"].get<std::int64_t>();
  // Files of earlier versions have neither.
  baseline.iterations = object.value("iterations", std::vector<std::int64_t>());
  baseline.recording = object.value("recording", recording::Recording());
  for (const auto& [name, each] : object.at("findings").items()) {
    Baseline::Rule& rule = baseline.rules[name];
    rule.value = each.at("value").get<std::int64_t>();
    if (each.contains("gain")) rule.gain = each["gain"].get<std::int64_t>();
  }
  for (const Object& each : object.at("cannot")) baseline.cannot.insert(each.get<std::string>());
  for (const auto& [name, each] : object.at("events").items()) baseline.kinds[name] = kind_in(each);
  return baseline;
}

}  // namespace

std::string baseline_json(const Baseline& baseline) {
  Object object = {{"schema", kSchema}, {"report", baseline.report}, {"time", baseline.time}};
  if (!baseline.recording.empty()) object["recording"] = baseline.recording;
  if (baseline.duration) object["duration"] = *baseline.duration;
  if (!baseline.iterations.empty()) object["iterations"] = baseline.iterations;
  if (baseline.gpu_memory_peak) object["gpu_memory_peak"] = *baseline.gpu_memory_peak;
  object["findings"] = Object::object();
  for (const auto& [name, rule] : baseline.rules) {
    Object& each = object["findings"][name];
    each["value"] = rule.value;
    if (rule.gain) each["gain"] = *rule.gain;
  }
  object["cannot"] = baseline.cannot;
  object["events"] = Object::object();
  for (const auto& [name, kind] : baseline.kinds)
    object["events"][name] = kind_json(kind, name == "copy");
  return base::visible_json(object.dump(-1, ' ', false, Object::error_handler_t::replace)) + '\n';
}

base::Result<Baseline> parse_baseline(std::string_view text) {
  const Object object = Object::parse(text, nullptr, false);
  if (!object.is_object() || object.value("schema", Object()) != kSchema)
    return base::fail("not a file that prof facts --save has written");
  try {
    return baseline_in(object);
  } catch (const Object::exception&) {
    return base::fail("the file is damaged");
  }
}

}  // namespace prof::claims
