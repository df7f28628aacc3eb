/* Linked to a library whose constructor does I/O. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const char* ran = getenv("CTOR_RAN");
  printf("{\"constructor\": %s}\n", ran != NULL ? "true" : "false");
  return 0;
}
