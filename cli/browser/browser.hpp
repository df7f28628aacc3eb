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

// A file that only the user can read, and that leads a browser to the URL. Every user of the
// machine can read command lines, so a command gets the name of this file. The destructor removes
// it, and the next prof if this one is killed.
class RedirectFile {
 public:
  // In XDG_RUNTIME_DIR, or TMPDIR, or /tmp.
  static base::Result<std::unique_ptr<RedirectFile>> make(const std::string& url);
  std::string path() const { return folder_.path() + "/open.html"; }

 private:
  explicit RedirectFile(base::PrivateFolder folder) : folder_(std::move(folder)) {}
  base::PrivateFolder folder_;
};

// Is there a screen that a browser could use, or a BROWSER that knows a way without?
bool has_display();

// The commands to try, each as words: those of BROWSER, else xdg-open and sensible-browser.
std::vector<std::vector<std::string>> browser_commands(const std::string& file);

// Starts the first of these commands that exists. It continues when prof ends. Returns its name, or
// nothing if none exists.
std::optional<std::string> start_browser(const std::string& file);

// The command that makes `port` of this machine reachable on the user's.
std::string tunnel_command(std::uint16_t port);

}  // namespace prof::cli
