#include "common/base/text/marked_name.hpp"

#include <algorithm>
#include <functional>

namespace prof::base {

namespace {

constexpr char kBegin = '\x01';  // then the kind
constexpr char kText = '\x02';   // then the name
constexpr char kEnd = '\x03';

// Returns the sentence with what `replace(kind, name)` returns in place of each marked name.
std::string replaced(
    std::string_view sentence,
    const std::function<std::string(std::string_view, std::string_view)>& replace) {
  std::string result;
  while (!sentence.empty()) {
    const std::size_t begin = std::min(sentence.find(kBegin), sentence.size());
    result += sentence.substr(0, begin);
    sentence.remove_prefix(begin);
    const std::size_t text = sentence.find(kText);
    const std::size_t end = sentence.find(kEnd);
    if (text == std::string_view::npos || end == std::string_view::npos || end < text) {
      result += sentence.substr(std::min<std::size_t>(1, sentence.size()));
      break;
    }
    result += replace(sentence.substr(1, text - 1), sentence.substr(text + 1, end - text - 1));
    sentence.remove_prefix(end + 1);
  }
  return result;
}

}  // namespace

std::string mark_name(std::string_view kind, std::string_view name) {
  std::string clean = without_marks(name);
  std::erase_if(clean, [](char each) { return each >= kBegin && each <= kEnd; });
  return kBegin + std::string(kind) + kText + clean + kEnd;
}

std::string without_marks(std::string_view sentence) {
  if (sentence.find(kBegin) == std::string_view::npos) return std::string(sentence);
  return replaced(sentence,
                  [](std::string_view, std::string_view name) { return std::string(name); });
}

std::string NameList::take_out(std::string_view sentence) {
  return replaced(sentence, [this](std::string_view kind, std::string_view name) {
    return "{n" + std::to_string(number_of(kind, name)) + '}';
  });
}

std::size_t NameList::number_of(std::string_view kind, std::string_view name) {
  const auto at = std::ranges::find_if(
      names_, [&](const KnownName& each) { return each.kind == kind && each.text == name; });
  if (at != names_.end()) return static_cast<std::size_t>(at - names_.begin()) + 1;
  names_.push_back({std::string(kind), std::string(name)});
  return names_.size();
}

}  // namespace prof::base
