// Detects the end of a thread by the destructor of a pthread key, as late as pthread keys allow.
#pragma once

namespace prof::core {

// Creates the key. The constructor calls this once per process image.
void create_thread_exit_key();

// Makes the destructor run when the calling thread ends.
void watch_thread_exit();

}  // namespace prof::core
