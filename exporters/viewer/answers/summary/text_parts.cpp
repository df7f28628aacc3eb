// Makes the parts of the start page that are texts: verdict, findings, facts, losses.
#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/diagnosis_text.hpp"
#include "exporters/viewer/answers/summary/finding_json.hpp"
#include "exporters/viewer/answers/summary/parts.hpp"

namespace prof::view {

namespace {

std::string pairs_part(const info::Pairs& pairs) {
  Json json;
  json.begin_list();
  for (const auto& [name, value] : pairs) json.begin_list().value(name).value(value).end_list();
  json.end_list();
  return json.take();
}

}  // namespace

std::string facts_part(const info::ReportInfo& info) {
  info::Pairs facts = run_facts(info);
  for (auto& each : machine_facts(info)) facts.push_back(std::move(each));
  return pairs_part(facts);
}

std::string options_part(const info::ReportInfo& info) { return pairs_part(chosen_options(info)); }

// Lists the losses of the recording, its warnings and its errors.
std::string losses_part(const info::ReportInfo& info) {
  Json json;
  json.begin_list();
  for (const bool losses : {true, false})
    for (const info::Diagnostic& each : info.diagnostics)
      if (is_loss(each) == losses && (losses || each.severity >= info::kWarning))
        json.value(each.text);
  json.end_list();
  return json.take();
}

std::string verdict_part(const analyze::Diagnosis& diagnosis) {
  Json json;
  json.begin_object();
  add_verdict(json, diagnosis);
  json.pair("gain", diagnosis.gains ? diagnosis.gains->sentence : std::string());
  json.pair("open", analyze::open_ranges_text(diagnosis)).key("shares").begin_list();
  for (const auto& [name, share] : diagnosis.verdict.shares)
    json.begin_list().value(name).value(share).end_list();
  json.end_list().key("not_recorded").begin_list();
  for (const std::string& each : diagnosis.not_recorded) json.value(base::without_marks(each));
  json.end_list().end_object();
  return json.take();
}

std::string findings_part(const analyze::Diagnosis& diagnosis, const Places& places) {
  Json json;
  json.begin_list();
  for (const analyze::Finding& each : diagnosis.findings) {
    json.begin_object();
    add_finding(json, each, diagnosis);
    if (each.gain) json.pair("gain", each.gain->time).pair("gain_share", each.gain->percent / 100);
    json.key("where");
    if (each.where)
      Places::add(json, places.of(*each.where));
    else
      json.null();
    json.end_object();
  }
  json.end_list();
  return json.take();
}

}  // namespace prof::view
