// Children and threads whose thread-local data is not their own, or is not the C library's.
#pragma once

namespace prof::process {

// A child with these flags is about to run beside its parent in the same memory and with the same
// thread-local data. Returns a word that the kernel has to clear when the child has ended. Null if
// none can be used: then the thread records nothing any more.
int* prepare_for_sharing(unsigned long flags);
bool shares_thread_state(unsigned long flags);

// From now on threads may have thread-local data that is not the C library's.
void expect_foreign_threads();

}  // namespace prof::process
