// The program enters seccomp: from then on a system call by prof could kill it.
#pragma once

namespace prof::process {

// Makes the system calls that will be needed later now, and lets no other be made.
void enter_sandbox();

// The same if reading the clock is forbidden too. Recording ends.
void stop_using_clock();

}  // namespace prof::process
