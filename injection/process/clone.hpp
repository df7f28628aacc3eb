// Children and threads that share their thread-local data with others, or whose thread-local data
// is not the C library's.
#pragma once

namespace prof::process {

// Called before a child with these flags runs beside its parent in the same memory and with the
// same thread-local data. Returns a word that the kernel has to clear when the child has ended.
// Returns null if no word is free: then the thread records nothing any more.
int* prepare_for_sharing(unsigned long flags);
bool shares_thread_state(unsigned long flags);

// Called when threads may have thread-local data from now on that is not the C library's.
void expect_foreign_threads();

}  // namespace prof::process
