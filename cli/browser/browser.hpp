// Opens the user's browser at a secret URL.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/held/private_folder.hpp"
#include "common/base/result.hpp"

namespace prof::cli {

// A file that redirects a browser to the URL. Only the user can read it. Every user of the machine
// can read command lines, so the browser's command line has the name of this file instead of the
// URL. The destructor removes the file. If prof is killed, the next prof removes it.
class RedirectFile {
 public:
  // Creates the file below XDG_RUNTIME_DIR, else TMPDIR, else /tmp.
  static base::Result<std::unique_ptr<RedirectFile>> make(const std::string& url);
  std::string path() const { return folder_.path() + "/open.html"; }

 private:
  explicit RedirectFile(base::PrivateFolder folder) : folder_(std::move(folder)) {}
  base::PrivateFolder folder_;
};

// True if there is a screen that a browser can use (DISPLAY, WAYLAND_DISPLAY), or if BROWSER names
// a browser, which may need no screen.
bool has_display();

// Returns the commands to try, each as a list of words: those of BROWSER, else xdg-open and
// sensible-browser.
std::vector<std::vector<std::string>> browser_commands(const std::string& file);

// Starts the first of browser_commands() that exists. The browser continues when prof ends. Returns
// the browser's name, or nothing if no command exists.
std::optional<std::string> start_browser(const std::string& file);

// Returns the command that makes `port` of this machine reachable on the user's machine.
std::string tunnel_command(std::uint16_t port);

}  // namespace prof::cli
