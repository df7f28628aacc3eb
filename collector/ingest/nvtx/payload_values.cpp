#include "collector/ingest/nvtx/payload_values.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "common/base/utf8.hpp"

namespace prof::ingest {

namespace {

void add_text(std::string& out, std::string_view text) {
  std::string escaped;
  if (!base::is_utf8(text)) text = escaped = base::escaped_to_utf8(text);
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

void add_real(std::string& out, double value) {
  if (std::isfinite(value))
    fmt::format_to(std::back_inserter(out), "{}", value);
  else
    out += std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
}

void add_object(std::string& out, const std::vector<PayloadValue>& values);

void add_value(std::string& out, const PayloadValue& value) {
  switch (value.kind) {
    case ValueKind::kNone:
      out += "null";
      break;
    case ValueKind::kSigned:
      fmt::format_to(std::back_inserter(out), "{}", static_cast<std::int64_t>(value.bits));
      break;
    case ValueKind::kUnsigned:
      fmt::format_to(std::back_inserter(out), "{}", value.bits);
      break;
    case ValueKind::kReal:
      add_real(out, value.real);
      break;
    case ValueKind::kText:
      add_text(out, value.text);
      break;
    case ValueKind::kList: {
      out += '[';
      for (std::size_t i = 0; i < value.children.size(); ++i) {
        if (i != 0) out += ',';
        add_value(out, value.children[i]);
      }
      out += ']';
      break;
    }
    case ValueKind::kObject:
      add_object(out, value.children);
      break;
  }
}

// Returns the name, or, if it is taken, the name with the first free number.
template <class IsTaken>
std::string free_name(std::string_view wanted, IsTaken&& is_taken) {
  std::string name(wanted.empty() ? "value" : wanted);
  for (int number = 2; is_taken(name); ++number)
    name = fmt::format("{} ({})", wanted.empty() ? "value" : wanted, number);
  return name;
}

void add_object(std::string& out, const std::vector<PayloadValue>& values) {
  std::set<std::string> names;
  out += '{';
  for (const PayloadValue& value : values) {
    if (!names.empty()) out += ',';
    const std::string name =
        free_name(value.name, [&](const std::string& other) { return names.contains(other); });
    names.insert(name);
    add_text(out, name);
    out += ':';
    add_value(out, value);
  }
  out += '}';
}

}  // namespace

double PayloadValue::as_real() const {
  if (kind == ValueKind::kSigned) return static_cast<double>(static_cast<std::int64_t>(bits));
  return kind == ValueKind::kUnsigned ? static_cast<double>(bits) : real;
}

PayloadValue PayloadValue::of_text(std::string text) {
  PayloadValue value;
  value.kind = ValueKind::kText;
  value.text = std::move(text);
  return value;
}

std::string to_json(const std::vector<PayloadValue>& values) {
  std::string json;
  add_object(json, values);
  return json;
}

std::string merge_json(std::string_view first, std::string_view more) {
  using Json = nlohmann::ordered_json;
  Json merged = Json::parse(first);
  const Json added = Json::parse(more);
  for (const auto& [name, value] : added.items())
    merged[free_name(name, [&](const std::string& other) { return merged.contains(other); })] =
        value;
  return merged.dump();
}

}  // namespace prof::ingest
