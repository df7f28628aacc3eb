#include "collector/session/session_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "common/base/held/temporary_places.hpp"
#include "common/wire/handshake.hpp"

namespace prof::session {

base::Result<SessionDirectory> SessionDirectory::create() {
  constexpr std::size_t kLongestPlace = 72;  // the socket's path must fit into 107 bytes
  std::string why = "their names are too long";
  for (const std::string& place : base::temporary_places()) {
    if (place.size() > kLongestPlace) continue;
    auto folder = base::PrivateFolder::create(place + "/prof-" + std::to_string(getpid()) + "-");
    if (folder) return SessionDirectory(std::move(*folder));
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
  if (!out || chmod(file(name).c_str(), S_IRUSR) != 0)
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
  return pipe;
}

}  // namespace prof::session
