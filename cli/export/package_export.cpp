#include "cli/export/package_export.hpp"

#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>

#include "cli/export/python_package.hpp"
#include "cli/messages/failure.hpp"
#include "common/base/text/exec_words.hpp"

namespace prof::cli {

namespace {

std::vector<std::string> words_of(const PackageExport& what, const std::string& python) {
  std::vector<std::string> words = {python,   "-m",      "prof_report",
                                    "--type", what.type, "--output=" + what.output};
  for (const std::string& table : what.tables) words.push_back("--table=" + table);
  for (const std::string& column : what.empty_columns) words.push_back("--empty-column=" + column);
  if (!what.lazy) words.emplace_back("--all-tables");
  if (what.overwrite) words.emplace_back("--force-overwrite");
  if (what.append) words.emplace_back("--append");
  if (what.quiet) words.emplace_back("--quiet");
  words.emplace_back("--");
  words.push_back(what.report);
  return words;
}

}  // namespace

void export_with_package(const PackageExport& what) {
  const PythonPackage package = find_python_package();
  std::vector<std::string> words = words_of(what, package.python);
  std::vector<std::string> variables = environment_of(package);
  pid_t child = 0;
  const mode_t before = umask(S_IRWXG | S_IRWXO);  // files get mode 0600, as reports have
  const int error =
      posix_spawnp(&child, package.python.c_str(), nullptr, nullptr, base::exec_words(words).data(),
                   base::exec_words(variables).data());
  umask(before);
  if (error != 0)
    throw Failure("--type=" + what.type + " needs Python: cannot run " + package.python + ": " +
                  std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw Failure("");
}

}  // namespace prof::cli
