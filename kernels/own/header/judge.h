// The judge's side of a compiled kernel file: what the compiler's instrumentation calls, and the way to the program
// that looks on. Compiled together with the file, and as C-like plain data for the program itself.
#pragma once

extern "C" {

struct ConvoscopeIndex {
  unsigned x, y, z;
};

// What a compiled file asks of the program. `from`: where in the file, an address of its code.
struct ConvoscopeHooks {
  const ConvoscopeIndex *thread, *block, *block_size, *grid;
  void (*access)(const void* address, unsigned long bytes, int how, const void* from);
  // how: 0 read, 1 write, 2 atomic; 8 more where the address may be of any alignment
  void (*bounds)(const char* file, unsigned line, long index);  // outside of an array whose size is known
  void (*outside)(int index, int count, const void* from);      // of a window on shared memory; does not return
  void* (*shared)(unsigned long offset, int count, unsigned long element, const void* from);
  void (*barrier)(int line);
  int (*barrier_of)(int line, int kind, int value);
  void (*meet)(unsigned mask, int line);
  unsigned (*exchange)(unsigned mask, unsigned value, int how, int with, int width, int line);
  unsigned (*vote)(unsigned mask, int value, int line);
};

struct ConvoscopeKernel {
  const char* name;  // with its template arguments
  void (*run)(void** arguments);
};
struct ConvoscopeArray {
  const char* name;
  void* data;
  unsigned long bytes;
};
struct ConvoscopeType {
  const char* name;
  unsigned long bytes;
};

}  // extern "C"
