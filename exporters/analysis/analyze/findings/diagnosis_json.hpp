// Diagnoses as JSON. Sentences have placeholders, {n1}, in place of names of the report.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"

namespace prof::analyze {

// See diagnosis_text().
std::string diagnosis_json(const Diagnosis& diagnosis, std::size_t bytes);

nlohmann::ordered_json where_json(const Where& where);
nlohmann::ordered_json rows_json(const std::vector<EvidenceRows>& rows);
// Returns {"n1": {"kind": "kernel", "text": "…"}}. Long texts are cut in the middle, and "length"
// is their length in bytes.
nlohmann::ordered_json names_json(const base::NameList& names);

// Returns these names as lines for people, below a heading. Empty if there are none.
std::string names_text(const nlohmann::ordered_json& names);

// Returns the document with escapes in place of characters that cannot be seen. Invalid UTF-8 is
// replaced, because names come from programs and may contain any bytes.
std::string json_text(const nlohmann::ordered_json& object, int indent);

}  // namespace prof::analyze
