#include "exporters/analysis/operators/work/element_types.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "common/base/letters.hpp"

namespace prof::operators {

namespace {

bool has_any(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return name.find(word) != std::string_view::npos;
  });
}

// The first letter after "nvjet_" (on newer GPUs after "nvjet_sm100_") is the type of the operands.
ElementType type_of_nvjet(std::string_view name) {
  constexpr std::string_view kPrefix = "nvjet_";
  const std::size_t at = name.find(kPrefix);
  if (at == std::string_view::npos) return ElementType::kUnknown;
  std::string_view rest = name.substr(at + kPrefix.size());
  if (rest.starts_with("sm")) rest.remove_prefix(std::min(rest.size(), rest.find('_') + 1));
  switch (rest.empty() ? ' ' : rest.front()) {
    case 'h':
      return ElementType::kFp16;
    case 't':
      return ElementType::kBf16;
    case 's':
      return ElementType::kTf32;
    case 'd':
      return ElementType::kFp64;
    case 'q':
      return ElementType::kFp8;
    default:
      return ElementType::kUnknown;
  }
}

}  // namespace

const char* name_of(ElementType type) {
  constexpr const char* kNames[] = {"",     "fp64", "fp32", "tf32", "bf16",
                                    "fp16", "fp8",  "fp4",  "int8"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(ElementType::kCount));
  return kNames[static_cast<std::size_t>(type)];
}

std::int64_t bytes_of_two(ElementType type) {
  constexpr std::int64_t kBytes[] = {0, 16, 8, 8, 4, 4, 2, 1, 2};
  static_assert(std::size(kBytes) == static_cast<std::size_t>(ElementType::kCount));
  return kBytes[static_cast<std::size_t>(type)];
}

ElementType element_type_of(std::string_view kernel) {
  const std::string name = base::to_lower(kernel);
  if (const ElementType type = type_of_nvjet(name); type != ElementType::kUnknown) return type;
  if (has_any(name, {"e2m1", "fp4", "nvf4"})) return ElementType::kFp4;
  if (has_any(name, {"e4m3", "e5m2", "fp8", "float8"})) return ElementType::kFp8;
  if (has_any(name, {"bf16", "bfloat16"})) return ElementType::kBf16;
  if (has_any(name, {"tf32"})) return ElementType::kTf32;
  if (has_any(name, {"f16", "fp16", "half", "h884", "h1688", "h16816", "hgemm", "hmma"}))
    return ElementType::kFp16;
  if (has_any(name, {"s1688", "tensorop_s"})) return ElementType::kTf32;
  if (has_any(name, {"i8i8", "int8", "i8816", "i16832", "imma", "signed char"}))
    return ElementType::kInt8;
  if (has_any(name, {"double", "f64", "dgemm", "d884"})) return ElementType::kFp64;
  if (has_any(name, {"float", "f32", "fp32", "sgemm", "ffma", "scudnn"})) return ElementType::kFp32;
  return ElementType::kUnknown;
}

}  // namespace prof::operators
