// Prepares for a program that enters seccomp: from then on a system call of prof could kill it.
#pragma once

namespace prof::process {

// Makes the system calls now that will be needed later, and prevents all later ones.
void enter_sandbox();

// Like enter_sandbox(), if reading the clock will be forbidden, too. Ends recording.
void stop_using_clock();

}  // namespace prof::process
