// Turns an exception into a message and an exit status.
#pragma once

#include <exception>
#include <filesystem>
#include <system_error>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"

namespace prof::cli {

// Returns the status that `run` returns. If `run` throws, prints the message and returns the status
// of the failure.
template <class Run>
int exit_status_of(Run run) {
  try {
    return run();
  } catch (const Failure& failure) {
    if (*failure.what() != '\0') print_message("prof: {}\n", failure.what());
    return failure.status();
  } catch (const std::filesystem::filesystem_error& error) {
    print_message("prof: {}: {}\n", error.path1().string(), error.code().message());
    return kFailed;
  } catch (const std::system_error& error) {
    print_message("prof: the system refuses a thread or another resource: {} (see ulimit -a)\n",
                  error.code().message());
    return kFailed;
  } catch (const std::exception& error) {
    print_message("prof: internal error: {}\n", error.what());
    return kFailed;
  }
}

}  // namespace prof::cli
