// Finds the same functions as dlsym(RTLD_NEXT), but without a lock, so it also works in a signal
// handler and in the child of a multi-threaded process. A function can thus be looked up at its
// first call, and short programs do not pay for hundreds of look-ups at start.
#pragma once

namespace prof::core {

// Lists the objects that come after this library in the search order. Returns false if that fails.
// Called by the constructor: these objects are loaded before the program starts and stay until it
// ends.
bool note_next_objects();

// Returns the path of this library, as the loader knows it; null before note_next_objects().
const char* library_path();

// The library that has defined a function that prof wraps.
enum class Owner {
  kAnyone,     // nobody, or an unknown library
  kLibc,       // libc, or a sanitizer's runtime, which has the same functions
  kPreloaded,  // no object is linked to it, or it is known to replace libc's functions
  kLinked,     // any other library
};

struct Definition {
  void* address = nullptr;  // null: none, or an ifunc, which needs its resolver
  Owner owner = Owner::kAnyone;
};

// Returns the function to which the loader binds a caller that asks for this version; or, if
// `version` is null, for the default version. It is taken from the first object that has it, or
// from the first one of libc.
Definition find_next(const char* name, const char* version = nullptr,
                     Owner needed = Owner::kAnyone);

// Finds the function in objects that the program loaded itself, and in objects that only they see.
// Before glibc 2.34 a plug-in can bring libpthread into a process that had no threads before.
void* find_loaded_later(const char* name, const char* version);

// True if the library was loaded while the program ran, after libc (prof attach). Then no object
// after it has the real functions.
bool was_loaded_late();

// Finds the function for a library that was loaded late: in the first object, in the order of
// loading, that defines it. This library is skipped.
Definition find_first(const char* name, const char* version = nullptr,
                      Owner needed = Owner::kAnyone);

// Returns the function that this library exports by that name, to a caller that asks for this
// version.
void* find_own(const char* name, const char* version = nullptr);

// True if a loaded object defines this symbol, or if that cannot be determined. Called by
// constructors. Takes a tenth of a microsecond for each object, where dlsym() takes 20 and, if it
// finds nothing, allocates and leaves an error for dlerror().
bool may_be_defined(const char* name);

}  // namespace prof::core
