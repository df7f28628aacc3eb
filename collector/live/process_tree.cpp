#include "collector/live/process_tree.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"
#include "common/base/text/printable.hpp"
#include "common/wire/rank_variables.hpp"

namespace prof::live {

namespace {

std::vector<std::string> words_of(std::string_view text) {
  constexpr std::size_t kMaxWords = 256;
  std::vector<std::string> words;
  while (!text.empty() && words.size() < kMaxWords) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    words.push_back(base::printable(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

int rank_of(pid_t pid) {
  const std::string environment =
      base::read_proc_file(base::proc_path(base::living_thread(pid), "environ"));
  for (const wire::RankSource& source : wire::kRankSources) {
    const std::string_view name = source.rank;
    const std::string_view all = environment;
    for (std::size_t at = 0; at < all.size();
         at = std::min(all.find('\0', at), all.size() - 1) + 1) {
      const std::string_view variable = all.substr(at);
      if (!variable.starts_with(name) || variable.substr(name.size(), 1) != "=") continue;
      const std::string_view value = variable.substr(name.size() + 1);
      if (!value.empty() && value[0] >= '0' && value[0] <= '9')
        return static_cast<int>(std::min<std::uint64_t>(base::number_in(value), 1U << 30));
    }
  }
  return -1;
}

std::optional<Process> read_process(pid_t pid) {
  // The file contains "12 (name) S 1 …". A name may contain parentheses.
  const std::string stat = base::read_proc_file(base::proc_path(pid, "stat"));
  const std::size_t begin = stat.find('(');
  const std::size_t end = stat.rfind(") ");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  Process process;
  process.pid = pid;
  process.name = base::printable(std::string_view(stat).substr(begin + 1, end - begin - 1));
  if (const std::string_view state = base::stat_field(stat, 3); !state.empty())
    process.state = state[0];
  process.parent = static_cast<pid_t>(base::number_in(base::stat_field(stat, 4)));
  const pid_t living = process.state == 'Z' ? base::living_thread(pid) : pid;
  process.words = words_of(base::read_proc_file(base::proc_path(living, "cmdline")));
  return process;
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool has_name(const Process& process, std::string_view name) {
  if (process.name == name) return true;
  // "python3 -u train.py": the script is the first word that does not begin with "-".
  for (std::size_t i = 0; i < process.words.size(); ++i) {
    if (i > 0 && process.words[i].starts_with('-')) continue;
    if (base_name(process.words[i]) == name) return true;
    if (i > 0) return false;
  }
  return false;
}

}  // namespace

std::string Process::command() const {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<Process> all_processes() {
  std::vector<Process> all;
  for (const pid_t pid : base::ids_in("/proc"))
    if (pid != getpid())
      if (auto process = read_process(pid)) all.push_back(std::move(*process));
  return all;
}

std::vector<pid_t> find_by_name(const std::vector<Process>& all, const std::string& name) {
  std::vector<pid_t> found;
  for (const Process& each : all)
    if (has_name(each, name)) found.push_back(each.pid);
  return found;
}

std::vector<Process> trees_of(const std::vector<Process>& all, const std::vector<pid_t>& roots,
                              bool with_children) {
  std::vector<Process> tree;
  std::set<pid_t> taken;
  const auto take = [&](const Process& process) {
    if (taken.insert(process.pid).second) tree.push_back(process);
  };
  for (const pid_t root : roots)
    for (const Process& each : all)
      if (each.pid == root) take(each);
  for (std::size_t i = 0; with_children && i < tree.size(); ++i)
    for (const Process& each : all)
      if (each.parent == tree[i].pid) take(each);
  for (Process& each : tree) each.rank = rank_of(each.pid);
  return tree;
}

}  // namespace prof::live
