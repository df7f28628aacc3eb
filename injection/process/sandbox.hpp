// The program enters seccomp: from when on a system call of ours could kill it.
#pragma once

namespace prof::process {

// Does now what will need a system call, and sees to it that no other is made.
void enter_sandbox();

// The same where reading the clock is forbidden, too: recording ends.
void leave_clock();

}  // namespace prof::process
