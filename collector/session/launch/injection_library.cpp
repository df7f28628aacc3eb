#include "collector/session/launch/injection_library.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "common/base/held/temporary_places.hpp"
#include "common/base/proc_file.hpp"
#include "common/wire/libraries.hpp"

namespace prof::session {

using base::fail;

namespace {

bool has_blank_or_colon(const std::string& path) {
  return path.find_first_of(" \t\n:") != std::string::npos;
}

// Makes the symbolic link `link` to `target`, unless it exists.
bool has_link(const std::string& link, const std::filesystem::path& target) {
  std::error_code error;
  if (std::filesystem::read_symlink(link, error) == target) return true;
  const std::string fresh = link + "-" + std::to_string(getpid());
  unlink(fresh.c_str());  // left by a killed prof
  return (symlink(target.c_str(), fresh.c_str()) == 0 &&
          rename(fresh.c_str(), link.c_str()) == 0) ||
         // Another prof has made it at this moment.
         std::filesystem::read_symlink(link, error) == target;
}

// Returns a path for LD_PRELOAD, which cannot have a blank or colon in it: if necessary, one that
// goes through a link. The link stays, because programs may outlive prof. Programs of other users
// can read it: they may run in the session, too.
base::Result<std::string> path_without_blanks(const std::filesystem::path& library) {
  const std::filesystem::path directory = library.parent_path();
  const std::string name = "prof-link-" + std::to_string(geteuid()) + "-" +
                           std::to_string(std::hash<std::string>{}(directory.string()));
  for (const std::string& place : base::safe_temporary_places()) {
    if (has_blank_or_colon(place)) continue;
    const auto own = base::make_own_folder(place + "/" + name, 0755);
    if (own && has_link(*own + "/lib", directory))
      return *own + "/lib/" + library.filename().string();
  }
  return fail(
      library.string() +
      ": LD_PRELOAD cannot name a path with a blank or colon in it, and no link to it can be "
      "made in $XDG_RUNTIME_DIR, $TMPDIR or /tmp; move prof");
}

}  // namespace

base::Result<std::string> find_injection_library() {
  constexpr char kName[] = "libprof_inject.so";
  std::error_code error;
  const auto directory = base::own_program().parent_path();
  for (const auto& relative : {".", "../lib/prof", "../libexec/prof", "../lib"}) {
    const auto candidate = std::filesystem::canonical(directory / relative / kName, error);
    if (error) continue;
    std::string path = candidate.string();
    struct statvfs file_system {};
    if (statvfs(path.c_str(), &file_system) == 0 && (file_system.f_flag & ST_NOEXEC) != 0)
      return fail(path + " lies on a file system mounted noexec; move prof to another one");
    return has_blank_or_colon(path) ? path_without_blanks(path) : path;
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

base::Result<std::string> find_vulkan_layer(const std::string& injection_library) {
  const auto folder = std::filesystem::path(injection_library).parent_path() / "vulkan_layer";
  const auto manifest = folder / "VkLayer_prof.json";
  std::error_code error;
  if (std::filesystem::exists(manifest, error)) return folder.string();
  return fail(manifest.string() + " is missing; reinstall the package");
}

}  // namespace prof::session
