// aarch64 has no prof attach: code_page.cpp, remote_call.cpp and safe_point.cpp need the code and
// the registers of x86-64.
#include "collector/attach/injector.hpp"

namespace prof::attach {

bool can_attach() { return false; }

base::Result<Outcome> attach(pid_t, const std::string&, const std::string&) {
  return base::fail("prof attach does not work on aarch64");
}

base::Result<Outcome> detach(pid_t, const std::string&) { return Outcome{}; }

bool is_attached(pid_t) { return false; }

bool is_attached_in_part(pid_t) { return false; }

}  // namespace prof::attach
