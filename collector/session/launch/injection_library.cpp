#include "collector/session/launch/injection_library.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>

#include "injection/wire/libraries.hpp"

namespace prof::session {

using base::fail;

base::Result<std::string> find_injection_library() {
  constexpr char kName[] = "libprof_inject.so";
  std::error_code error;
  const auto directory = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const auto& relative : {".", "../lib/prof", "../lib"}) {
    const auto candidate = std::filesystem::canonical(directory / relative / kName, error);
    if (error) continue;
    std::string path = candidate.string();
    if (path.find_first_of(" :") != std::string::npos)
      return fail(path + ": LD_PRELOAD cannot name a path with a blank or colon in it; move prof");
    struct statvfs file_system {};
    if (statvfs(path.c_str(), &file_system) == 0 && (file_system.f_flag & ST_NOEXEC) != 0)
      return fail(path + " lies on a file system mounted noexec; move prof to another one");
    return path;
  }
  return fail(std::string(kName) + " is missing: it belongs beside prof (" + directory.string() +
              ") or in ../lib/prof; reinstall the package");
}

base::Result<std::string> find_library_tracer(const std::string& injection_library,
                                              std::uint32_t library) {
  const auto directory = std::filesystem::path(injection_library).parent_path();
  const auto path = directory / (std::string("libprof_") + wire::kLibraryNames[library] + ".so");
  std::error_code error;
  if (std::filesystem::exists(path, error)) return path.string();
  return fail(path.filename().string() + " is missing: it belongs beside libprof_inject.so (" +
              directory.string() + "); reinstall the package");
}

}  // namespace prof::session
