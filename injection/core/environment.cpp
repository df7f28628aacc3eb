#include "injection/core/environment.hpp"

#include <cstring>

#include "injection/core/live.hpp"
#include "injection/core/process_state.hpp"

namespace prof::core {

namespace {

constexpr char kPreload[] = "LD_PRELOAD";
constexpr char kNvtxInjection[] = "NVTX_INJECTION64_PATH";
constexpr char kCudaInjection[] = "CUDA_INJECTION64_PATH";

// Index of `name` in the environment, or -1.
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

// "name=value[:rest]" into `out`; false if it does not fit.
template <std::size_t N>
bool assign(char (&out)[N], const char* name, const char* value, const char* rest = nullptr) {
  const std::size_t name_length = std::strlen(name);
  const std::size_t value_length = std::strlen(value);
  const std::size_t rest_length = rest != nullptr && *rest != '\0' ? std::strlen(rest) + 1 : 0;
  if (name_length + 1 + value_length + rest_length + 1 > N) return false;
  char* at = out;
  at = static_cast<char*>(std::memcpy(at, name, name_length)) + name_length;
  *at++ = '=';
  at = static_cast<char*>(std::memcpy(at, value, value_length)) + value_length;
  if (rest_length > 0) {
    *at++ = ':';
    at = static_cast<char*>(std::memcpy(at, rest, rest_length - 1)) + rest_length - 1;
  }
  *at = '\0';
  return true;
}

bool wants_repair() {
  return g_process.arena != nullptr && live_word() != kOff &&
         has_feature(wire::kFeatureRepairEnvironment);
}

}  // namespace

std::size_t ChildEnvironment::array_bytes(char* const* environment) {
  std::size_t count = 0;
  while (environment != nullptr && environment[count] != nullptr) ++count;
  return (count + 5) * sizeof(char*);  // four additions and the terminator
}

ChildEnvironment::ChildEnvironment(char* const* environment, void* room)
    : original_(environment), result_(environment) {
  if (wants_repair()) repair(static_cast<char**>(room));
}

void ChildEnvironment::repair(char** array) {
  static char* const kEmpty[] = {nullptr};
  char* const* given = original_ != nullptr ? original_ : kEmpty;
  const long session = find(given, wire::kSessionVariable);
  const long preload = find(given, kPreload);
  const bool fix_preload =
      preload < 0 || !lists(given[preload] + sizeof kPreload, g_process.library);
  const bool fix_nvtx = find(given, kNvtxInjection) < 0 && has_feature(wire::kFeatureNvtx);
  const bool fix_cuda = find(given, kCudaInjection) < 0 && has_feature(wire::kFeatureCuda);
  if (session >= 0 && !fix_preload && !fix_nvtx && !fix_cuda) return;

  std::size_t used = 0;
  for (; given[used] != nullptr; ++used) array[used] = given[used];
  if (session < 0 && assign(session_, wire::kSessionVariable, g_process.session))
    array[used++] = session_;
  // First in the list, or another preload's wrappers would hide the program's calls from us.
  const char* others = preload < 0 ? nullptr : given[preload] + sizeof kPreload;
  if (fix_preload && assign(preload_, kPreload, g_process.library, others))
    array[preload < 0 ? used++ : static_cast<std::size_t>(preload)] = preload_;
  if (fix_nvtx && assign(nvtx_, kNvtxInjection, g_process.library)) array[used++] = nvtx_;
  if (fix_cuda && assign(cuda_, kCudaInjection, g_process.library)) array[used++] = cuda_;
  array[used] = nullptr;
  result_ = array;
}

}  // namespace prof::core
