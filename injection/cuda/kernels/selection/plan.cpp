#include "injection/cuda/kernels/selection/plan.hpp"

#include <regex.h>

#include <cstring>

#include "injection/core/join/session_files.hpp"
#include "injection/core/layout.hpp"
#include "injection/core/symbols/loader.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/cuda/clients/host.hpp"

namespace prof::cuda::kernels {

namespace {

PROF_SELDOM constinit Plan g_read_plan{};

// libc's functions for regular expressions. The library must not import functions that allocate, so
// they are looked up, and only where somebody asks for a regular expression.
struct RegexFunctions {
  decltype(&::regcomp) compile;
  decltype(&::regexec) execute;
};
RegexFunctions g_regex;

void compile(Pattern& pattern) {
  static constexpr std::size_t kPatterns = 2;
  static regex_t memory[kPatterns];
  static std::size_t used;
  if (g_regex.compile == nullptr) {
    g_regex.compile =
        reinterpret_cast<decltype(&::regcomp)>(clients::look_up(RTLD_DEFAULT, "regcomp"));
    g_regex.execute =
        reinterpret_cast<decltype(&::regexec)>(clients::look_up(RTLD_DEFAULT, "regexec"));
  }
  if (g_regex.compile == nullptr || g_regex.execute == nullptr || used == kPatterns) return;
  regex_t* place = &memory[used++];
  if (g_regex.compile(place, pattern.text, REG_EXTENDED | REG_NOSUB) == 0) pattern.compiled = place;
}

// Returns the rest of the line if it begins with the word and a blank, or null.
char* after(char* line, const char* word) {
  const std::size_t length = std::strlen(word);
  return std::strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1 : nullptr;
}

std::uint64_t number(const char* text) {
  std::uint64_t value = 0;
  for (; *text >= '0' && *text <= '9'; ++text)
    value = value * 10 + static_cast<std::uint64_t>(*text - '0');
  return value;
}

void set_pattern(Pattern& pattern, char* text, bool is_regex) {
  pattern.text = text;
  pattern.is_regex = is_regex;
  if (is_regex) compile(pattern);
}

void add_metric(char* text) {
  if (g_read_plan.num_metrics == kMaxMetrics) return;
  char* const blank = std::strchr(text, ' ');
  const char* except = "";
  if (blank != nullptr) {
    *blank = '\0';
    except = blank + 1;
  }
  g_read_plan.metrics[g_read_plan.num_metrics++] = {text, except};
}

void add_sass_metric(const char* name) {
  if (g_read_plan.num_sass_metrics < kMaxSassMetrics)
    g_read_plan.sass_metrics[g_read_plan.num_sass_metrics++] = name;
}

void add_pattern(RangePatterns& patterns, const char* text) {
  if (patterns.count < kMaxPatterns && parse_pattern(text, patterns.items[patterns.count]))
    ++patterns.count;
}

void read_number(char* line) {
  const struct {
    const char* word;
    std::uint64_t* value;
  } kNumbers[] = {{"skip", &g_read_plan.skip},
                  {"count", &g_read_plan.count},
                  {"skip-before", &g_read_plan.skip_before},
                  {"run", &g_read_plan.run},
                  {"id-invocation", &g_read_plan.invocation}};
  for (const auto& each : kNumbers)
    if (const char* rest = after(line, each.word)) *each.value = number(rest);
}

// kernel_plan() in cli/options/metrics/kernel_options.cpp writes these lines.
void read_line(char* line) {
  if (char* rest = after(line, "metric")) return add_metric(rest);
  if (const char* rest = after(line, "sass")) return add_sass_metric(rest);
  if (const char* rest = after(line, "images")) {
    g_read_plan.images = rest;
    return;
  }
  if (char* rest = after(line, "name")) return set_pattern(g_read_plan.name, rest, false);
  if (char* rest = after(line, "name-regex")) return set_pattern(g_read_plan.name, rest, true);
  if (char* rest = after(line, "id-name")) return set_pattern(g_read_plan.id_name, rest, false);
  if (char* rest = after(line, "nvtx-include")) return add_pattern(g_read_plan.include, rest);
  if (char* rest = after(line, "nvtx-exclude")) return add_pattern(g_read_plan.exclude, rest);
  if (char* rest = after(line, "id-name-regex"))
    return set_pattern(g_read_plan.id_name, rest, true);
  if (char* rest = after(line, "id-context"))
    g_read_plan.context = static_cast<std::uint32_t>(number(rest));
  else if (char* id = after(line, "id-stream"))
    g_read_plan.stream = static_cast<std::uint32_t>(number(id));
  else if (std::strcmp(line, "base mangled") == 0)
    g_read_plan.base = NameBase::kMangled;
  else if (std::strcmp(line, "base demangled") == 0)
    g_read_plan.base = NameBase::kDemangled;
  else if (std::strcmp(line, "mode per-gpu") == 0)
    g_read_plan.mode = FilterMode::kPerGpu;
  else if (std::strcmp(line, "mode per-launch-config") == 0)
    g_read_plan.mode = FilterMode::kPerLaunchConfig;
  else if (std::strcmp(line, "replay none") == 0)
    g_read_plan.replay = wire::KernelReplay::kNone;
  else if (std::strcmp(line, "replay rotate") == 0)
    g_read_plan.replay = wire::KernelReplay::kRotate;
  else if (std::strcmp(line, "replay application") == 0)
    g_read_plan.replay = wire::KernelReplay::kApplication;
  else if (std::strcmp(line, "id") == 0)
    g_read_plan.has_id = true;
  else
    read_number(line);
}

// Returns the file's text in separate memory, with a NUL byte after it, or null.
char* read_text() {
  constexpr std::size_t kMaxBytes = std::size_t{256} << 10;
  const core::SessionPath path(wire::kKernelPlanName);
  const int file = core::sys::open(path.text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* memory =
      core::sys::mmap(kMaxBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  long bytes = 0;
  if (!core::sys::failed(memory)) bytes = core::sys::pread(file, memory, kMaxBytes - 1, 0);
  core::sys::close(file);
  return bytes > 0 ? static_cast<char*>(memory) : nullptr;
}

}  // namespace

const Plan* read_plan() {
  char* text = read_text();
  if (text == nullptr) return nullptr;
  g_read_plan.context = g_read_plan.stream = kAnyId;
  g_read_plan.count = ~std::uint64_t{0};
  g_read_plan.replay = wire::KernelReplay::kKernel;
  while (char* const end = std::strchr(text, '\n')) {
    *end = '\0';
    read_line(text);
    text = end + 1;
  }
  return &g_read_plan;
}

bool matches(const Pattern& pattern, const char* name) {
  if (pattern.text == nullptr) return true;
  if (!pattern.is_regex) return std::strcmp(pattern.text, name) == 0;
  return pattern.compiled != nullptr &&
         g_regex.execute(static_cast<const regex_t*>(pattern.compiled), name, 0, nullptr, 0) == 0;
}

}  // namespace prof::cuda::kernels
