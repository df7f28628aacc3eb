// The private directory (mode 0700) through which processes find the session. The destructor
// removes it. Processes of a guest, another user to whose programs root attaches, can enter it,
// too.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "common/base/held/private_folder.hpp"
#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::session {

class SessionDirectory {
 public:
  // Creates the directory in $XDG_RUNTIME_DIR, $TMPDIR or /tmp, whichever works first. Places where
  // other users could replace the directory come last, because processes must reach only this user
  // and root.
  // Places that the guest cannot enter are left out.
  static base::Result<SessionDirectory> create(std::optional<uid_t> guest = {});

  const std::optional<uid_t>& guest() const { return guest_; }

  // True if the directory still exists, with the control socket in it.
  bool is_intact() const;

  // Writes a file into the directory, for processes to read.
  base::Status write_file(const std::string& name, const std::string& content) const;

  // Makes a pipe in the directory, for processes to write to. Reading from it never blocks, and
  // never returns an end of file.
  base::Result<base::UniqueFd> make_pipe(const std::string& name) const;

  // Makes the guest, if there is one, the owner of a file in the directory. Root can use it anyway.
  base::Status give_to_guest(const std::string& name) const;

  const std::string& path() const { return folder_.path(); }
  std::string file(const std::string& name) const { return path() + "/" + name; }

 private:
  SessionDirectory(base::PrivateFolder folder, std::optional<uid_t> guest)
      : folder_(std::move(folder)), guest_(guest) {}
  base::PrivateFolder folder_;
  std::optional<uid_t> guest_;
};

}  // namespace prof::session
