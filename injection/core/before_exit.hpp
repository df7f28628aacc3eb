// What has to be done before the process image goes away without a chance to do it later: exit,
// _exit and its kin, and a successful exec.
#pragma once

namespace prof::core {

// One handler; it may be called more than once and in a fork child, and must see to that itself.
void set_before_exit(void (*handler)());

// Calls the handler, if there is one.
void before_exit();

}  // namespace prof::core
