#include "cli/options/name_list.hpp"

namespace prof::cli {

std::vector<std::string> split_names(const std::string& list) {
  std::vector<std::string> names(1);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '\\' && i + 1 < list.size())
      names.back() += list[++i];
    else if (list[i] == ',')
      names.emplace_back();
    else
      names.back() += list[i];
  }
  std::erase(names, "");
  return names;
}

}  // namespace prof::cli
