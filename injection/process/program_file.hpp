// Tells the collector of a program that is about to run and cannot be traced.
#pragma once

namespace prof::process {

// Each looks at a file as the exec that follows would find it: a few system calls against the
// hundreds of an exec. They use the stack alone and keep errno, so vfork children may call them.
void tell_if_untraceable(const char* path);
void tell_if_untraceable(int directory, const char* path, int flags);  // as execveat
void tell_if_untraceable_in_path(const char* file);                    // as execvp

}  // namespace prof::process
