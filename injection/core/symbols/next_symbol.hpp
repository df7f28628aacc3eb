// Finds what dlsym(RTLD_NEXT) finds, but without a lock, so it also works in a signal handler and
// in the child of a multi-threaded process. A function can thus be looked up at its first call, and
// short programs do not pay for hundreds of look-ups at start.
#pragma once

namespace prof::core {

// Lists the objects that come after this library in the search order. Returns false if that fails.
// Called by the constructor: these objects are loaded before the program starts and stay until it
// ends.
bool note_next_objects();

// Path of this library, as the loader knows it; null before note_next_objects().
const char* library_path();

// Who has defined a function that prof wraps.
enum class Owner {
  kAnyone,     // nobody, or it is not known who
  kLibc,       // or a sanitizer's runtime, which has the same functions
  kPreloaded,  // a library that no object is linked to, or one that is known to replace libc's
  kLinked,     // any other library
};

struct Definition {
  void* address = nullptr;  // null: none, or no plain function (an ifunc, which needs its resolver)
  Owner owner = Owner::kAnyone;
};

// The function that the loader binds a caller to that asks for this version of it; or, if `version`
// is null, the default version. It is of the first object that has it, or of the first one of libc.
Definition find_next(const char* name, const char* version = nullptr,
                     Owner needed = Owner::kAnyone);

// The same, in objects that the program loaded itself, and in those that only they see. Before
// glibc 2.34 a plug-in can bring libpthread into a process that had no threads before.
void* find_loaded_later(const char* name, const char* version);

// Was the library loaded while the program ran, after libc (prof attach)? Then no object comes
// after it that has the real functions.
bool was_loaded_late();

// For a library that was loaded late: the function of the first object, in the order in which they
// were loaded, that defines it. This library does not count.
Definition find_first(const char* name, const char* version = nullptr,
                      Owner needed = Owner::kAnyone);

// What this library exports by that name, to a caller that asks for this version.
void* find_own(const char* name, const char* version = nullptr);

// Does an object that is loaded define this symbol? Called by constructors. True also if that
// cannot be seen. Costs a tenth of a microsecond for each object, where dlsym() costs 20 and, if it
// finds nothing, allocates and leaves an error for dlerror().
bool may_be_defined(const char* name);

}  // namespace prof::core
