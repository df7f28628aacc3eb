#include "exporters/analysis/analyze/findings/diagnosis_json.hpp"

#include <algorithm>
#include <vector>

#include "common/base/text/json.hpp"
#include "common/base/utf8.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/replay/what_if.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::analyze {

namespace {

using Object = nlohmann::ordered_json;

constexpr const char* kWhatIf = "what_if";  // names of this kind are whole, so the change works

// Returns the text, or its beginning and its end.
std::string middle_cut(const std::string& text) {
  constexpr std::size_t kLongest = 120;  // bytes
  if (text.size() <= kLongest) return text;
  std::size_t begin = kLongest / 2;
  while (begin > 0 && base::continues_character(text[begin])) --begin;
  std::size_t end = text.size() - kLongest / 2;
  while (end < text.size() && base::continues_character(text[end])) ++end;
  return text.substr(0, begin) + "…" + text.substr(end);
}

Object taken_out(const std::vector<std::string>& sentences, base::NameList& names) {
  Object list = Object::array();
  for (const std::string& each : sentences) list.push_back(names.take_out(each));
  return list;
}

// Returns the change with {n1} in place of a name or of an expression of names.
std::string change_without_names(const std::string& change, base::NameList& names) {
  using Subject = replay::WhatIf::Subject;
  const auto parts = replay::parse_what_ifs(change);
  if (!parts) return {};
  std::string result;
  for (const replay::WhatIf& each : *parts) {
    if (!result.empty()) result += " + ";
    const bool has_name = each.subject == Subject::kRange || each.subject == Subject::kKernel ||
                          each.subject == Subject::kCall || each.subject == Subject::kFunction;
    if (!has_name) {
      result += each.text;
      continue;
    }
    const std::size_t name = each.text.find(':') + 1;
    result += each.text.substr(0, name) + "{n" +
              std::to_string(names.number_of(kWhatIf, each.name)) + '}' +
              each.text.substr(name + each.name.size());
  }
  return result;
}

Object finding_json(const Finding& finding, const Diagnosis& diagnosis, base::NameList& names) {
  Object object = {{"rule", finding.rule},
                   {"finding", names.take_out(finding.sentence)},
                   {"at_stake_ns", finding.at_stake},
                   {"savings_ns", finding.savings()},
                   {"share_percent", tables::percent(finding.at_stake, diagnosis.span)},
                   {"evidence", names.take_out(finding.evidence)},
                   {"remedy", names.take_out(finding.remedy)}};
  if (finding.gain) {
    object["gain_ns"] = finding.gain->time;
    object["gain_percent"] = finding.gain->percent;
    // The names of many kernels are longer than all else.
    constexpr std::size_t kLongest = 500;
    if (finding.gain->change.size() <= kLongest)
      object["what_if"] = change_without_names(finding.gain->change, names);
  }
  if (finding.rank) object["rank"] = *finding.rank;
  if (finding.where) object["where"] = where_json(*finding.where);
  if (!finding.rows.empty()) object["rows"] = rows_json(finding.rows);
  for (const NumberQuery& each : finding.queries) {
    if (!object.contains(each.number)) object[each.number] = each.value;
    object["sql"][each.number] = each.sql;
  }
  return object;
}

Object gains_json(const Gains& gains) {
  Object object = {{"sentence", gains.sentence}, {"replayed_ns", gains.replayed}};
  if (gains.time) {
    object["start_ns"] = gains.time->start;
    object["end_ns"] = gains.time->end;
  }
  return object;
}

// Returns the document with this many findings and open ranges. "dropped" says how many are
// missing.
Object document(const Diagnosis& diagnosis, std::size_t findings, std::size_t open_ranges) {
  base::NameList names;
  Object object = {{"verdict", diagnosis.verdict.bound},
                   {"shares", names.take_out(diagnosis.verdict.sentence)},
                   {"time_ns", diagnosis.span},
                   {"findings", Object::array()}};
  for (std::size_t i = 0; i < findings; ++i)
    object["findings"].push_back(finding_json(diagnosis.findings[i], diagnosis, names));
  if (diagnosis.gains) object["gains"] = gains_json(*diagnosis.gains);
  Object& open = object["open_ranges"] = Object::array();
  for (std::size_t i = 0; i < open_ranges; ++i)
    open.push_back(
        {{"range", diagnosis.open_ranges[i].name}, {"count", diagnosis.open_ranges[i].count}});
  if (diagnosis.subject != Subject::kGpus)
    object["not_recorded"] = taken_out(diagnosis.not_recorded, names);
  if (!diagnosis.job.empty()) object["job"] = taken_out(diagnosis.job, names);
  if (!diagnosis.causes.empty()) object["causes"] = diagnosis.causes;
  object["names"] = names_json(names);
  if (findings < diagnosis.findings.size())
    object["dropped"]["findings"] = diagnosis.findings.size() - findings;
  if (open_ranges < diagnosis.open_ranges.size())
    object["dropped"]["open_ranges"] = diagnosis.open_ranges.size() - open_ranges;
  return object;
}

}  // namespace

Object where_json(const Where& where) {
  Object place = {{"start_ns", where.time.start}, {"end_ns", where.time.end}};
  if (where.thread) {
    place["pid"] = events::pid_of(*where.thread);
    place["tid"] = events::tid_of(*where.thread);
  } else if (where.device) {
    place["pid"] = events::pid_of(where.device->global_pid);
  }
  if (where.device) place["device"] = where.device->number;
  if (where.stream) place["stream"] = *where.stream;
  return place;
}

Object rows_json(const std::vector<EvidenceRows>& rows) {
  Object list = Object::array();
  for (const EvidenceRows& each : rows) list.push_back({{"table", each.table}, {"ids", each.ids}});
  return list;
}

Object names_json(const base::NameList& names) {
  Object object = Object::object();
  std::size_t number = 0;
  for (const base::KnownName& each : names.names()) {
    Object& name = object["n" + std::to_string(++number)];
    const bool is_whole = each.kind == kWhatIf;
    name = {{"kind", each.kind}, {"text", is_whole ? each.text : middle_cut(each.text)}};
    if (name["text"] != each.text) name["length"] = each.text.size();
  }
  return object;
}

std::string names_text(const Object& names) {
  std::string text = names.empty() ? "" : "\nnames (from the profiled program)\n";
  for (const auto& [id, name] : names.items())
    text += "  " + id + ' ' + name["kind"].get<std::string>() + ": " +
            name["text"].dump(-1, ' ', false, Object::error_handler_t::replace) + '\n';
  return text;
}

std::string json_text(const Object& object, int indent) {
  return base::visible_json(object.dump(indent, ' ', false, Object::error_handler_t::replace)) +
         '\n';
}

std::string diagnosis_json(const Diagnosis& diagnosis, std::size_t bytes) {
  std::size_t findings = diagnosis.findings.size();
  std::size_t open_ranges = diagnosis.open_ranges.size();
  if (bytes == 0) return json_text(document(diagnosis, findings, open_ranges), 2);
  std::string text = json_text(document(diagnosis, findings, open_ranges), -1);
  for (std::size_t* number : {&findings, &open_ranges})
    while (text.size() > bytes && *number > 0) {
      --*number;
      text = json_text(document(diagnosis, findings, open_ranges), -1);
    }
  return text;
}

}  // namespace prof::analyze
