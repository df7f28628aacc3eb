#include "cli/browser/browser.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <thread>

#include "cli/messages/message.hpp"
#include "common/base/held/held_file.hpp"
#include "common/base/held/temporary_places.hpp"
#include "common/base/unique_fd.hpp"

extern char** environ;

namespace prof::cli {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string private_place() {
  for (const char* name : {"XDG_RUNTIME_DIR", "TMPDIR"})
    if (std::string folder = base::folder_in_variable(name);
        !folder.empty() && access(folder.c_str(), W_OK | X_OK) == 0)
      return folder;
  return "/tmp";
}

// Returns a page that redirects to the URL, which has only characters without a meaning in HTML.
std::string redirect_page(const std::string& url) {
  return fmt::format(
      "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" "
      "content=\"no-referrer\">\n<meta http-equiv=\"refresh\" content=\"0;url={0}\">\n"
      "<title>prof view</title>\n<a href=\"{0}\">prof view</a>\n",
      url);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Returns the words of one command of BROWSER, which is a list with colons. %s stands for the file
// to open. Without %s the file becomes the last word.
std::vector<std::string> browser_command(const std::string& text, const std::string& file) {
  std::vector<std::string> words = words_of(text);
  bool has_place = false;
  for (std::string& word : words)
    if (const std::size_t place = word.find("%s"); place != std::string::npos) {
      word.replace(place, 2, file);
      has_place = true;
    }
  if (!words.empty() && !has_place) words.push_back(file);
  return words;
}

// Starts a command. Returns 0 or an errno. The child has no terminal, so that Ctrl+C does not end
// it.
int spawn(std::vector<std::string> words, pid_t& pid) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  const int error =
      posix_spawnp(&pid, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

void report_failure(pid_t pid, const std::string& name) {
  int status = 0;
  if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) != 0)
    print_message("prof: {} could not open a browser (status {}). Open the URL above yourself.\n",
                  name, WEXITSTATUS(status));
}

std::string user_name() {
  const passwd* user = getpwuid(getuid());
  return user == nullptr ? variable("USER") : user->pw_name;
}

std::string name_of_machine() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "HOST";
}

}  // namespace

base::Result<std::unique_ptr<RedirectFile>> RedirectFile::make(const std::string& url) {
  auto folder = base::PrivateFolder::create(private_place() + "/prof-view-");
  if (!folder) return tl::make_unexpected(folder.error());
  std::unique_ptr<RedirectFile> file(new RedirectFile(std::move(*folder)));
  const base::UniqueFd fd = base::create_held_file(file->path());
  const std::string page = redirect_page(url);
  if (!fd || write(fd.get(), page.data(), page.size()) != static_cast<ssize_t>(page.size()))
    return base::fail_errno("cannot write " + file->path(), errno);
  return file;
}

bool has_display() {
  return !variable("DISPLAY").empty() || !variable("WAYLAND_DISPLAY").empty() ||
         !variable("BROWSER").empty();
}

std::vector<std::vector<std::string>> browser_commands(const std::string& file) {
  std::vector<std::vector<std::string>> commands;
  std::istringstream wanted(variable("BROWSER"));
  for (std::string each; std::getline(wanted, each, ':');)
    if (auto command = browser_command(each, file); !command.empty()) commands.push_back(command);
  if (!commands.empty()) return commands;
  return {{"xdg-open", file}, {"sensible-browser", file}};
}

std::optional<std::string> start_browser(const std::string& file) {
  for (const std::vector<std::string>& command : browser_commands(file)) {
    pid_t pid = 0;
    if (spawn(command, pid) != 0) continue;
    std::thread(report_failure, pid, command[0]).detach();
    return command[0];
  }
  return std::nullopt;
}

std::string tunnel_command(std::uint16_t port) {
  // The variable has "CLIENT PORT SERVER PORT". SERVER is the address at which the user reached
  // this machine.
  const std::vector<std::string> connection = words_of(variable("SSH_CONNECTION"));
  const bool is_known = connection.size() == 4;
  return fmt::format("ssh -N -L {0}:127.0.0.1:{0} {1}{2}@{3}", port,
                     is_known && connection[3] != "22" ? "-p " + connection[3] + " " : "",
                     user_name(), is_known ? connection[2] : name_of_machine());
}

}  // namespace prof::cli
