#include "exporters/analysis/analyze/program/own_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "common/base/text/marked_name.hpp"
#include "common/code/names/short_name.hpp"
#include "exporters/analysis/analyze/program/rules/code_sums.hpp"
#include "exporters/analysis/events/call_chains/symbol_names.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::analyze {

namespace {

using events::CodeKind;
using events::Function;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// True for files of Python's library and of installed packages.
bool is_of_python(std::string_view path) {
  return contains(path, "/lib/python") || contains(path, "-packages/") ||
         path.starts_with("<frozen") || path.starts_with("<__array_function__");
}

bool is_library_of_system(std::string_view module) {
  for (const std::string_view folder :
       {"/lib/", "/lib64/", "/lib32/", "/usr/lib/", "/usr/lib64/", "/usr/lib32/", "/usr/libexec/",
        "/usr/local/lib/", "/usr/local/cuda", "/opt/conda/lib/", "/nix/store/"})
    if (module.starts_with(folder)) return true;
  return is_c_library(module);
}

// True for the file of a program, or of its library, that runs code of its user.
bool is_language_runtime(std::string_view module) {
  std::string_view file = events::file_name(module);
  if (file.starts_with("lib")) file.remove_prefix(3);
  file = file.substr(0, file.find_first_of(".-_0123456789"));
  for (const std::string_view name :
       {"R", "beam", "bun", "clrjit", "coreclr", "deno", "java", "julia", "jvm", "lua", "luajit",
        "mono", "node", "nodejs", "perl", "php", "ruby", "wasmer", "wasmtime"})
    if (file == name) return true;
  return false;
}

// True for code of JIT compilers that belongs to Node.js, to an installed package or to Java's own
// library. Java's names begin with the type of the result.
bool is_of_script_library(const Function& function) {
  if (function.file.starts_with("node:") || contains(function.file, "/node_modules/")) return true;
  const std::string name = names::without_parameters(function.name);
  for (const std::string_view package : {"java.", "javax.", "jdk.", "sun.", "com.sun."})
    if (name.starts_with(package)) return true;
  return false;
}

// True if the function comes from a header of the system, such as a template of the C++ library.
bool is_of_header(const Function& function) {
  if (contains(function.file, "/include/c++/") || function.file.starts_with("/usr/include/") ||
      function.file.starts_with("/usr/lib/gcc/"))
    return true;
  const std::string_view name(function.name);
  return name.starts_with("std::") || name.starts_with("__gnu_cxx::") ||
         name.starts_with("void std::");
}

// True for the code that starts programs.
bool is_start_code(std::string_view name) {
  return name == "_start" || name == "start_thread" || name == "__libc_start_main" ||
         name == "__libc_start_call_main";
}

// The inclusive time of one function.
struct Inclusive {
  double share = 0;
  std::map<std::int64_t, double> lines;
  std::unordered_map<std::uint32_t, double> callees;  // own functions that it calls
  double passed = 0;                                  // the sum of `callees`
};

class InclusiveTimes {
 public:
  explicit InclusiveTimes(const CodeProfile& profile)
      : profile_(profile), is_own_(profile.code.functions()), totals_(profile.tree.size()) {
    for (std::uint32_t i = 0; i < is_own_.size(); ++i)
      is_own_[i] = is_own_code(profile.code.function(i));
    add_up();
    for (Node node = 0; node < totals_.size(); ++node) add(node);
  }

  double all() const { return all_; }

  // Adds the functions that are worth a name to the list.
  void append(double all, std::vector<OwnFunction>& functions) const {
    std::vector<OwnFunction> passing;
    const std::size_t before = functions.size();
    for (const auto& [function, time] : functions_) {
      if (time.share <= 0) continue;
      auto& list = passes_on(time, all) ? passing : functions;
      list.push_back({text_of(function, time), time.share / all});
    }
    // In a recursion through several functions, each function may pass its time on.
    if (functions.size() == before)
      functions.insert(functions.end(), passing.begin(), passing.end());
  }

 private:
  void add_up() {
    for (const CodeProfile::Sample& sample : profile_.samples) {
      all_ += sample.share;
      totals_[sample.node] += sample.share;
    }
    for (Node node = static_cast<Node>(totals_.size()); node-- > 0;) {
      const Node parent = profile_.tree.parent(node);  // the parent has a smaller number
      if (parent != events::CallTree::kNone) totals_[parent] += totals_[node];
    }
  }

  // Adds the total of a node to its function, unless an outer node of the function has it already.
  void add(Node node) {
    const std::uint32_t function = function_at(node);
    if (!is_own_[function] || totals_[node] <= 0) return;
    std::uint32_t caller = CpuFacts::kNone;
    for (Node at = profile_.tree.parent(node); at != events::CallTree::kNone;
         at = profile_.tree.parent(at)) {
      const std::uint32_t outer = function_at(at);
      if (outer == function) return;
      if (caller == CpuFacts::kNone && is_own_[outer]) caller = outer;
    }
    const double total = totals_[node];
    Inclusive& time = functions_[function];
    time.share += total;
    time.lines[frame_of(profile_, node).line] += total;
    if (caller == CpuFacts::kNone) return;
    functions_[caller].callees[function] += total;
    functions_[caller].passed += total;
  }

  // True if the function does nothing itself: one function that it calls takes nearly all of its
  // time, or it takes nearly all of the program's time and calls other functions for that.
  static bool passes_on(const Inclusive& time, double all) {
    constexpr double kNearlyAll = 0.9;
    constexpr double kMost = 0.75;
    if (time.share >= kNearlyAll * all && time.passed >= kMost * time.share) return true;
    return std::any_of(time.callees.begin(), time.callees.end(), [&](const auto& callee) {
      return callee.second >= kNearlyAll * time.share;
    });
  }

  std::string text_of(std::uint32_t number, const Inclusive& time) const {
    constexpr std::size_t kMaxLetters = 60;
    const auto line =
        std::max_element(time.lines.begin(), time.lines.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    const Function& function = profile_.code.function(number);
    const std::string place(events::file_name(events::location(function, line->first)));
    const std::string name =
        tables::one_line(names::short_name(function.name, kMaxLetters), kMaxLetters);
    return base::mark_name("function",
                           name.starts_with('[') ? name : fmt::format("{} ({})", name, place));
  }

  std::uint32_t function_at(Node node) const { return frame_of(profile_, node).function; }

  const CodeProfile& profile_;
  std::vector<bool> is_own_;    // by function
  std::vector<double> totals_;  // by node
  std::unordered_map<std::uint32_t, Inclusive> functions_;
  double all_ = 0;
};

}  // namespace

bool is_c_library(std::string_view module) {
  const std::string_view file = events::file_name(module);
  return file.starts_with("libc.") || file.starts_with("libc-") || file.starts_with("libpthread") ||
         file.starts_with("libm.") || file.starts_with("ld-");
}

bool is_python_interpreter(const Function& function) {
  const std::string_view file = events::file_name(function.module);
  return function.kind != CodeKind::kPython &&
         (file.starts_with("libpython") || file.starts_with("python"));
}

bool is_own_code(const Function& function) {
  switch (function.kind) {
    case CodeKind::kPython:
      return !is_of_python(function.module);
    case CodeKind::kNative:
    case CodeKind::kUnresolved:
      break;
    case CodeKind::kKernel:
    case CodeKind::kMark:
      return false;
  }
  return !is_unknown_code(function) && !is_library_of_system(function.module) &&
         !is_of_python(function.module) && !is_python_interpreter(function) &&
         !is_language_runtime(function.module) && !events::is_profiler_library(function.module) &&
         (!function.module.starts_with('[') ||
          (is_named_jit_code(function) && !is_of_script_library(function))) &&
         !is_of_header(function) && !is_start_code(function.name) &&
         !events::is_go_library(function.name);
}

std::vector<OwnFunction> top_own_functions(const CpuFacts& facts, std::size_t count) {
  std::vector<InclusiveTimes> times;
  for (const CodeProfile* profile : {facts.python.get(), facts.native.get()})
    if (profile != nullptr && profile->has_samples()) times.emplace_back(*profile);
  // Both profiles have the time of Python's threads, so their sum says nothing.
  double all = 0;
  for (const InclusiveTimes& each : times) all = std::max(all, each.all());
  std::vector<OwnFunction> functions;
  if (all <= 0) return functions;
  for (const InclusiveTimes& each : times) each.append(all, functions);
  std::sort(functions.begin(), functions.end(), [](const OwnFunction& a, const OwnFunction& b) {
    return a.part != b.part ? a.part > b.part : a.text < b.text;
  });
  if (functions.size() > count) functions.resize(count);
  return functions;
}

}  // namespace prof::analyze
