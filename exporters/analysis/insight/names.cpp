#include "exporters/analysis/insight/names.hpp"

#include <algorithm>
#include <cctype>

#include "common/base/letters.hpp"

namespace prof::insight {

std::string without_numbers(std::string_view name) {
  std::string result;
  for (const char letter : name) {
    if (std::isdigit(static_cast<unsigned char>(letter)) == 0)
      result += letter;
    else if (result.empty() || result.back() != '#')
      result += '#';
  }
  return result;
}

std::string_view without_arguments(std::string_view name) {
  std::size_t end = name.size();
  for (const std::string_view mark : {", seq = ", ", op_id = ", ", sizes = ", ", arguments = "})
    end = std::min(end, name.find(mark));
  return name.substr(0, end);
}

bool mentions(std::string_view name, std::initializer_list<std::string_view> words) {
  const std::string lower = base::to_lower(name);
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

bool is_data_loading_name(std::string_view range) {
  return mentions(range, {"dataload", "data load", "data_load", "load_batch", "load batch",
                          "next_batch", "next batch", "get_batch", "fetch"});
}

bool is_garbage_collection_name(std::string_view range) {
  const std::string text = base::to_lower(range.substr(range.rfind(':') + 1));
  return text == "gc" || mentions(text, {"garbage", "gc.collect", "gc_collect"});
}

}  // namespace prof::insight
