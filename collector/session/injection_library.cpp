#include "collector/session/injection_library.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>

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

}  // namespace prof::session
