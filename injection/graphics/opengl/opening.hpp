// Libraries of OpenGL that the program opens with dlopen.
//
// A program that opens libGL.so.1 by name gets one of prof's libraries instead (stand_in.cpp),
// which defines the functions that prof traces and needs the real library. So dlsym finds prof's
// functions there, and all others in the real library. dlopen itself is entered by a jump, so that
// it sees its real caller, whose search path and namespace decide what it opens.
#pragma once

extern "C" {

// Returns a handle of the library if it is loaded, else null. The handle need not be closed.
__attribute__((visibility("default"))) void* prof_opengl_library(const char* name);

// Returns the function that the program gets in place of `real`, which has this name: `real` itself
// if it is not traced.
__attribute__((visibility("default"))) void* prof_opengl_wrapper(const char* name, void* real);
}
