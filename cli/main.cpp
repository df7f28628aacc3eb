// The command prof: loads libprof_report.so, which has all of prof but elfutils, and calls its
// prof_main().
#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/prof_main.hpp"

#define F(name) extern "C" void name();
#include "cli/elf_functions.def"
#undef F

namespace {

constexpr prof::cli::Elfutils kElfutils{prof::cli::kElfutilsFunctions,
                                        {
#define F(name) name,
#include "cli/elf_functions.def"
#undef F
                                        }};

constexpr char kName[] = "libprof_report.so";
// Seen from the folder of the command: in a build, in a package, in a wheel. libprof_inject.so is
// searched for there, too.
constexpr const char* kPlaces[] = {"", "../lib/prof/", "../libexec/prof/", "../lib/"};
constexpr int kFailed = 1;

// Writes the folder of the command, with its slash.
void find_folder(char (&path)[PATH_MAX]) {
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
  path[size > 0 ? size : 0] = '\0';
  // Without /proc: the name by which the command was started.
  const auto* name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (size <= 0 && (name == nullptr || realpath(name, path) == nullptr)) path[0] = '\0';
  char* const slash = std::strrchr(path, '/');
  (slash == nullptr ? path : slash + 1)[0] = '\0';
}

void* load() {
  char folder[PATH_MAX];
  find_folder(folder);
  for (const char* place : kPlaces) {
    char path[PATH_MAX + 64];
    std::snprintf(path, sizeof path, "%s%s%s", folder, place, kName);
    if (access(path, F_OK) != 0) continue;
    // Lazily: RTLD_NOW takes half as many instructions again for prof --version.
    void* const library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) std::fprintf(stderr, "prof: %s\n", dlerror());
    return library;
  }
  std::fprintf(stderr,
               "prof: %s cannot be read (%s): it belongs beside prof (%s) or in ../lib/prof; "
               "reinstall the package\n",
               kName, std::strerror(errno), folder);
  return nullptr;
}

}  // namespace

int main(int count, char** words) {
  void* const library = load();
  if (library == nullptr) return kFailed;
  const auto run = reinterpret_cast<decltype(&prof_main)>(dlsym(library, "prof_main"));
  if (run != nullptr) return run(count, words, &kElfutils);
  std::fprintf(stderr, "prof: %s\n", dlerror());
  return kFailed;
}
