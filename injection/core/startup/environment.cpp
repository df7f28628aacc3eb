#include "injection/core/startup/environment.hpp"

#include <cstring>
#include <initializer_list>

#include "injection/core/join/session.hpp"
#include "injection/core/live.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/preload/program_file.hpp"

namespace prof::core {

namespace {

constexpr char kPreload[] = "LD_PRELOAD";
constexpr char kNvtxInjection[] = "NVTX_INJECTION64_PATH";
constexpr char kCudaInjection[] = "CUDA_INJECTION64_PATH";

// Index of the variable `name`, or -1.
long find(char* const* environment, const char* name) {
  const std::size_t length = std::strlen(name);
  for (long i = 0; environment[i] != nullptr; ++i)
    if (std::strncmp(environment[i], name, length) == 0 && environment[i][length] == '=') return i;
  return -1;
}

// Does a colon- or space-separated LD_PRELOAD list name the library?
bool lists(const char* value, const char* library) {
  const std::size_t length = std::strlen(library);
  for (const char* at = std::strstr(value, library); at != nullptr;
       at = std::strstr(at + 1, library)) {
    const char after = at[length];
    const bool starts = at == value || at[-1] == ':' || at[-1] == ' ';
    if (starts && (after == '\0' || after == ':' || after == ' ')) return true;
  }
  return false;
}

// Appends texts to each other.
class Text {
 public:
  template <std::size_t N>
  explicit Text(char (&out)[N]) : at_(out), end_(out + N) {
    *at_ = '\0';
  }
  Text& add(const char* text) { return add(text, std::strlen(text)); }
  Text& add(const char* text, std::size_t length) {
    fits_ = fits_ && length < static_cast<std::size_t>(end_ - at_);
    if (!fits_) return *this;
    std::memcpy(at_, text, length);
    at_ += length;
    *at_ = '\0';
    return *this;
  }
  bool fits() const { return fits_; }

 private:
  char* at_;
  char* end_;
  bool fits_ = true;
};

// Writes "name=value" to `out`. Returns false if it does not fit.
template <std::size_t N>
bool assign(char (&out)[N], const char* name, const char* value) {
  return Text(out).add(name).add("=").add(value).fits();
}

// Appends the path of the preload library of a wire::Library. It is in the same folder as ours.
void add_companion(Text& text, std::uint32_t library) {
  const char* slash = std::strrchr(g_process.library, '/');
  const std::size_t folder =
      slash != nullptr ? static_cast<std::size_t>(slash + 1 - g_process.library) : 0;
  text.add(g_process.library, folder).add("libprof_").add(wire::kLibraryNames[library]).add(".so");
}

// Does an LD_PRELOAD list contain all libraries that this session preloads?
bool lists_ours(const char* value) {
  if (!lists(value, g_process.library)) return false;
  for (std::uint32_t i = 0; i < wire::kLibraries; ++i) {
    if (!has_feature(wire::library_feature(i))) continue;
    char path[kMaxLibraryPath + 32];
    Text text(path);
    add_companion(text, i);
    if (!lists(value, path)) return false;
  }
  return true;
}

// Length of the entries of a list up to the last one that has to come before ours, including the
// separator after it.
std::size_t length_of_first_entries(const char* list) {
  std::size_t first = 0;
  for (std::size_t at = 0; list[at] != '\0';) {
    std::size_t end = at;
    while (list[end] != '\0' && list[end] != ':' && list[end] != ' ') ++end;
    const bool is_last = list[end] == '\0';
    if (preload::wants_to_be_first(list + at, end - at)) first = is_last ? end : end + 1;
    at = is_last ? end : end + 1;
  }
  return first;
}

// Writes LD_PRELOAD. Our library comes first, or the wrappers of other libraries would hide calls
// from it. Then come the libraries that use ours, then `others`, which may be null. Only a library
// in `others` that has to be first, with everything in front of it, comes before ours.
template <std::size_t N>
bool assign_preload(char (&out)[N], const char* others) {
  Text text(out);
  text.add(kPreload).add("=");
  if (others != nullptr) {
    const std::size_t first = length_of_first_entries(others);
    text.add(others, first);
    if (first != 0 && others[first] == '\0' && others[first - 1] != ':') text.add(":");
    others += first;
  }
  text.add(g_process.library);
  for (std::uint32_t i = 0; i < wire::kLibraries; ++i)
    if (has_feature(wire::library_feature(i))) add_companion(text.add(":"), i);
  if (others != nullptr && *others != '\0') text.add(":").add(others);
  return text.fits();
}

bool is_ours(const char* entry, std::size_t length) {
  const auto same = [&](const char* path) {
    return std::strlen(path) == length && std::memcmp(path, entry, length) == 0;
  };
  if (same(g_process.library)) return true;
  for (std::uint32_t i = 0; i < wire::kLibraries; ++i) {
    char path[kMaxLibraryPath + 32];
    Text text(path);
    add_companion(text, i);
    if (same(path)) return true;
  }
  return false;
}

// Writes LD_PRELOAD to `out` with the entries of `variable` that are not ours. Returns null if
// there are none.
template <std::size_t N>
char* without_ours(char (&out)[N], char* variable) {
  Text text(out);
  text.add(kPreload).add("=");
  bool any = false;
  for (const char* list = variable + sizeof kPreload; *list != '\0';) {
    const std::size_t length = std::strcspn(list, ": ");
    if (length > 0 && !is_ours(list, length)) {
      text.add(any ? ":" : "").add(list, length);
      any = true;
    }
    list += length;
    list += std::strspn(list, ": ");
  }
  if (!text.fits()) return variable;
  return any ? out : nullptr;
}

const char* value_of(const char* variable, const char* name) {
  const std::size_t length = std::strlen(name);
  return std::strncmp(variable, name, length) == 0 && variable[length] == '='
             ? variable + length + 1
             : nullptr;
}

// Is it one of our variables, which a child that cannot reach the session must not get?
bool leads_to_us(const char* variable) {
  if (value_of(variable, wire::kSessionVariable) != nullptr) return true;
  for (const char* door : {kNvtxInjection, kCudaInjection})
    if (const char* value = value_of(variable, door))
      return std::strcmp(value, g_process.library) == 0;
  return false;
}

}  // namespace

const char* variable(char* const* environment, const char* name) {
  const long at = environment != nullptr ? find(environment, name) : -1;
  return at < 0 ? nullptr : environment[at] + std::strlen(name) + 1;
}

std::size_t ChildEnvironment::array_bytes(char* const* environment) {
  std::size_t count = 0;
  while (environment != nullptr && environment[count] != nullptr) ++count;
  return (count + 5) * sizeof(char*);  // four additions and the terminator
}

ChildEnvironment::ChildEnvironment(char* const* environment, void* room)
    : original_(environment), result_(environment) {
  if (g_process.arena == nullptr) return;
  if (g_process.sandboxed.load(std::memory_order_relaxed)) {
    withdraw(static_cast<char**>(room));
  } else if (!has_feature(wire::kFeatureRepairEnvironment)) {
    return;
  } else if (live_word() == kOff) {
    strip(static_cast<char**>(room));
  } else if (can_reach_session()) {
    repair(static_cast<char**>(room));
  } else {
    report(wire::DiagnosticCode::kOtherUser, sys::geteuid());
    strip(static_cast<char**>(room));
  }
}

// In a program that cannot open our library, the loader would print an error.
void ChildEnvironment::strip(char** array) {
  if (original_ == nullptr) return;
  std::size_t used = 0;
  for (char* const* at = original_; *at != nullptr; ++at) {
    char* kept = leads_to_us(*at) ? nullptr : *at;
    if (value_of(*at, kPreload) != nullptr) kept = without_ours(preload_, *at);
    if (kept != nullptr) array[used++] = kept;
  }
  array[used] = nullptr;
  result_ = array;
}

// A seccomp filter survives exec, so a system call of our constructor could kill the new program.
// Without the session variable the constructor makes none.
void ChildEnvironment::withdraw(char** array) {
  if (original_ == nullptr) return;
  const long session = find(original_, wire::kSessionVariable);
  if (session < 0) return;
  std::size_t used = 0;
  for (long i = 0; original_[i] != nullptr; ++i)
    if (i != session) array[used++] = original_[i];
  array[used] = nullptr;
  result_ = array;
}

void ChildEnvironment::repair(char** array) {
  static char* const kEmpty[] = {nullptr};
  char* const* given = original_ != nullptr ? original_ : kEmpty;
  const long session = find(given, wire::kSessionVariable);
  const long preload = find(given, kPreload);
  const bool fix_preload = preload < 0 || !lists_ours(given[preload] + sizeof kPreload);
  const bool fix_nvtx = find(given, kNvtxInjection) < 0 && has_feature(wire::kFeatureNvtx);
  const bool fix_cuda = find(given, kCudaInjection) < 0 && has_feature(wire::kFeatureCuda);
  if (session >= 0 && !fix_preload && !fix_nvtx && !fix_cuda) return;

  std::size_t used = 0;
  for (; given[used] != nullptr; ++used) array[used] = given[used];
  if (session < 0 && assign(session_, wire::kSessionVariable, g_process.session))
    array[used++] = session_;
  const char* others = preload < 0 ? nullptr : given[preload] + sizeof kPreload;
  if (fix_preload && assign_preload(preload_, others))
    array[preload < 0 ? used++ : static_cast<std::size_t>(preload)] = preload_;
  if (fix_nvtx && assign(nvtx_, kNvtxInjection, g_process.library)) array[used++] = nvtx_;
  if (fix_cuda && assign(cuda_, kCudaInjection, g_process.library)) array[used++] = cuda_;
  array[used] = nullptr;
  result_ = array;
}

}  // namespace prof::core
