// Turns an exception into a message and an exit status.
#pragma once

#include <exception>
#include <filesystem>
#include <string>
#include <system_error>

#include "cli/messages/failure.hpp"
#include "cli/messages/failure_output.hpp"

namespace prof::cli {

// Returns the status that `run` returns. If `run` throws, prints the message and returns the status
// of the failure.
template <class Run>
int exit_status_of(Run run) {
  try {
    return run();
  } catch (const Failure& failure) {
    print_failure(failure.what(), failure.status(), failure.code());
    return failure.status();
  } catch (const std::filesystem::filesystem_error& error) {
    print_failure(error.path1().string() + ": " + error.code().message(), kFailed, "");
    return kFailed;
  } catch (const std::system_error& error) {
    print_failure("the system refuses a thread or another resource: " + error.code().message() +
                      " (see ulimit -a)",
                  kFailed, "no_resource");
    return kFailed;
  } catch (const std::exception& error) {
    print_failure(std::string("internal error: ") + error.what(), kFailed, "internal");
    return kFailed;
  }
}

}  // namespace prof::cli
