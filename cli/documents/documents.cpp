#include "cli/documents/documents.hpp"

#include <filesystem>
#include <system_error>

#include "common/base/proc_file.hpp"

namespace prof::cli {

namespace {

struct Document {
  std::string_view name;
  const char* text;
};

constexpr Document kDocuments[] = {
#include "documents.inc"
};

}  // namespace

const char* find_document(std::string_view name) {
  for (const Document& each : kDocuments)
    if (each.name == name) return each.text;
  return nullptr;
}

std::string skill_file() {
  const std::filesystem::path prefix = base::own_program().parent_path().parent_path();
  const std::filesystem::path file = prefix / "share/prof/skill/SKILL.md";
  std::error_code error;
  return std::filesystem::exists(file, error) ? file.string() : std::string();
}

}  // namespace prof::cli
