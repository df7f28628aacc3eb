// Translates the notes about code in call chains. Only notes.cpp includes this.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "collector/spool/notes.hpp"
#include "common/base/utf8.hpp"

namespace prof::spool {

// Reads a key into the field, which keeps its value if the key is missing.
template <class Field>
void get(const nlohmann::json& note, const char* key, Field& field) {
  if (const auto found = note.find(key); found != note.end()) field = found->get<Field>();
}
template <class Field>
void get(const nlohmann::json& note, const char* key, std::optional<Field>& field) {
  if (const auto found = note.find(key); found != note.end()) field = found->get<Field>();
}

inline nlohmann::json to_json(const StackModuleNote& note) {
  // The path is escaped even if it is UTF-8, so that the reader gets the same bytes.
  nlohmann::json object = {{"id", note.id}, {"path", base::escaped_to_utf8(note.path)}};
  if (note.jit_of != 0) {
    object["jit_of"] = note.jit_of;
    if (!note.inherited_from.empty()) object["inherited_from"] = note.inherited_from;
    return object;
  }
  object["inode"] = note.inode;
  object["build_id"] = note.build_id;
  if (note.modified != 0) object["modified"] = note.modified;
  if (note.is_elsewhere) object["elsewhere"] = true;
  return object;
}
// The path is unescaped, because the file must be opened.
inline void from_json(const nlohmann::json& object, StackModuleNote& note) {
  get(object, "id", note.id);
  get(object, "path", note.path);
  note.path = base::unescaped_from_utf8(note.path);
  get(object, "inode", note.inode);
  get(object, "modified", note.modified);
  get(object, "build_id", note.build_id);
  get(object, "elsewhere", note.is_elsewhere);
  get(object, "jit_of", note.jit_of);
  get(object, "inherited_from", note.inherited_from);
}

inline nlohmann::json to_json(const StackFunctionsNote& note) {
  return {{"module", note.module}, {"functions", note.functions}};
}
inline void from_json(const nlohmann::json& object, StackFunctionsNote& note) {
  get(object, "module", note.module);
  get(object, "functions", note.functions);
}

inline nlohmann::json to_json(const JitCode& code) {
  return nlohmann::json::array(
      {code.time, code.address, code.size,
       code.moved_from ? nlohmann::json(*code.moved_from) : nlohmann::json(code.name)});
}
// Returns nothing if the item does not have this form.
inline std::optional<JitCode> to_jit_code(const nlohmann::json& item) {
  const auto is_integer = [](const nlohmann::json& value) { return value.is_number_integer(); };
  if (!item.is_array() || item.size() != 4 ||
      !std::all_of(item.begin(), item.end() - 1, is_integer))
    return std::nullopt;
  const auto number = [&](std::size_t i) { return item[i].get<std::uint64_t>(); };
  JitCode code{number(0), number(1), number(2), {}, {}};
  if (item[3].is_string())
    code.name = item[3].get<std::string>();
  else if (is_integer(item[3]))
    code.moved_from = number(3);
  else
    return std::nullopt;
  return code;
}

inline nlohmann::json to_json(const JitCodeNote& note) {
  nlohmann::json codes = nlohmann::json::array();
  for (const JitCode& code : note.code) codes.push_back(to_json(code));
  return {{"pid", note.pid}, {"code", std::move(codes)}};
}
inline void from_json(const nlohmann::json& object, JitCodeNote& note) {
  get(object, "pid", note.pid);
  const auto codes = object.find("code");
  if (codes == object.end() || !codes->is_array()) return;
  for (const nlohmann::json& item : *codes)
    if (auto code = to_jit_code(item)) note.code.push_back(std::move(*code));
}

inline nlohmann::json to_json(const JitProcessNote& note) {
  return {{"pid", note.pid}, {"parent", note.parent}, {"time", note.time}};
}
inline void from_json(const nlohmann::json& object, JitProcessNote& note) {
  get(object, "pid", note.pid);
  get(object, "parent", note.parent);
  get(object, "time", note.time);
}

}  // namespace prof::spool
