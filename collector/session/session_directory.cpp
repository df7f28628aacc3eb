#include "collector/session/session_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "common/base/held/temporary_places.hpp"
#include "common/wire/handshake.hpp"

namespace prof::session {

namespace {

// True if a user who is in no group of the folders on the way may enter the folder.
bool can_enter(const std::string& folder, uid_t user) {
  for (std::filesystem::path at(folder);; at = at.parent_path()) {
    struct stat info {};
    if (stat(at.c_str(), &info) != 0) return false;
    const mode_t needed = info.st_uid == user ? S_IXUSR : S_IXOTH;
    if ((info.st_mode & needed) == 0) return false;
    if (at == at.parent_path()) return true;
  }
}

}  // namespace

base::Result<SessionDirectory> SessionDirectory::create(std::optional<uid_t> guest) {
  constexpr std::size_t kLongestPlace = 72;  // the socket's path must fit into 107 bytes
  constexpr mode_t kForGuests = 0711;
  std::string why = "their names are too long";
  for (const std::string& place : base::temporary_places()) {
    if (place.size() > kLongestPlace || (guest && !can_enter(place, *guest))) continue;
    auto folder = base::PrivateFolder::create(place + "/prof-" + std::to_string(getpid()) + "-");
    if (folder && guest && chmod(folder->path().c_str(), kForGuests) != 0)
      return base::fail_errno("cannot open " + folder->path() + " to another user", errno);
    if (folder) return SessionDirectory(std::move(*folder), guest);
    why = folder.error().message;
  }
  return base::fail("cannot create a session directory in $XDG_RUNTIME_DIR, $TMPDIR or /tmp: " +
                    why);
}

bool SessionDirectory::is_intact() const {
  return folder_.is_there() && access(file(wire::kControlSocketName).c_str(), F_OK) == 0;
}

base::Status SessionDirectory::write_file(const std::string& name,
                                          const std::string& content) const {
  std::ofstream out(file(name), std::ios::binary);
  out << content << std::flush;
  // chmod is needed because a umask can remove even the owner's rights.
  const mode_t mode = guest_ ? S_IRUSR | S_IROTH : S_IRUSR;
  if (!out || chmod(file(name).c_str(), mode) != 0)
    return base::fail_errno("cannot write " + file(name), errno);
  return {};
}

base::Result<base::UniqueFd> SessionDirectory::make_pipe(const std::string& name) const {
  const std::string path = file(name);
  // chmod is needed because of the umask, as above.
  if (mkfifo(path.c_str(), 0600) != 0 || chmod(path.c_str(), 0600) != 0)
    return base::fail_errno("cannot create the pipe " + path, errno);
  // O_RDWR is used so that the pipe always has a writer.
  base::UniqueFd pipe(open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!pipe) return base::fail_errno("cannot open the pipe " + path, errno);
  if (base::Status given = give_to_guest(name); !given) return tl::make_unexpected(given.error());
  return pipe;
}

base::Status SessionDirectory::give_to_guest(const std::string& name) const {
  constexpr auto kNoGroup = static_cast<gid_t>(-1);
  if (guest_ && lchown(file(name).c_str(), *guest_, kNoGroup) != 0)
    return base::fail_errno("cannot open " + file(name) + " to another user", errno);
  return {};
}

}  // namespace prof::session
