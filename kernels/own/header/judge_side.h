// Compiled in front of a kernel file. Nothing here is instrumented.
static const ConvoscopeHooks* convoscope_hooks;

#define CONVOSCOPE_UNSEEN __attribute__((noinline, no_sanitize("thread"), no_sanitize("undefined")))
#define CONVOSCOPE_HERE __builtin_return_address(0)
#define CONVOSCOPE_SEEN(name, bytes, how) \
  CONVOSCOPE_UNSEEN void name(void* address) { convoscope_hooks->access(address, bytes, how, CONVOSCOPE_HERE); }
#define CONVOSCOPE_SEEN_BOTH(bytes)                       \
  CONVOSCOPE_SEEN(__tsan_read##bytes, bytes, 0)           \
  CONVOSCOPE_SEEN(__tsan_write##bytes, bytes, 1)          \
  CONVOSCOPE_SEEN(__tsan_unaligned_read##bytes, bytes, 8) \
  CONVOSCOPE_SEEN(__tsan_unaligned_write##bytes, bytes, 9)

extern "C" {
CONVOSCOPE_SEEN_BOTH(1)
CONVOSCOPE_SEEN_BOTH(2)
CONVOSCOPE_SEEN_BOTH(4)
CONVOSCOPE_SEEN_BOTH(8)
CONVOSCOPE_SEEN_BOTH(16)
CONVOSCOPE_UNSEEN void __tsan_read_range(void* address, unsigned long bytes) {
  convoscope_hooks->access(address, bytes, 8, CONVOSCOPE_HERE);
}
CONVOSCOPE_UNSEEN void __tsan_write_range(void* address, unsigned long bytes) {
  convoscope_hooks->access(address, bytes, 9, CONVOSCOPE_HERE);
}
CONVOSCOPE_UNSEEN void __tsan_init() {}
CONVOSCOPE_UNSEEN void __tsan_func_entry(void*) {}
CONVOSCOPE_UNSEEN void __tsan_func_exit() {}
CONVOSCOPE_UNSEEN void __tsan_vptr_update(void*, void*) {}
CONVOSCOPE_UNSEEN void __tsan_vptr_read(void*) {}

// Of an array whose size the compiler knows.
struct ConvoscopeBounds {
  const char* file;
  unsigned line, column;
};
CONVOSCOPE_UNSEEN void __ubsan_handle_out_of_bounds(void* data, unsigned long index) {
  const ConvoscopeBounds* at = static_cast<const ConvoscopeBounds*>(data);
  convoscope_hooks->bounds(at->file, at->line, static_cast<long>(index));
}

__attribute__((visibility("default"))) CONVOSCOPE_UNSEEN void convoscope_begin(const ConvoscopeHooks* hooks) {
  convoscope_hooks = hooks;
}

// A compiler may call these for assignments of large structures.
CONVOSCOPE_UNSEEN void* memcpy(void* to, const void* from, unsigned long bytes) noexcept {
  convoscope_hooks->access(from, bytes, 8, CONVOSCOPE_HERE);
  convoscope_hooks->access(to, bytes, 9, CONVOSCOPE_HERE);
  for (unsigned long i = 0; i < bytes; ++i)
    *(static_cast<volatile char*>(to) + i) = *(static_cast<const volatile char*>(from) + i);
  return to;
}
CONVOSCOPE_UNSEEN void* memset(void* to, int byte, unsigned long bytes) noexcept {
  convoscope_hooks->access(to, bytes, 9, CONVOSCOPE_HERE);
  for (unsigned long i = 0; i < bytes; ++i) *(static_cast<volatile char*>(to) + i) = static_cast<char>(byte);
  return to;
}
CONVOSCOPE_UNSEEN void* __tsan_memcpy(void* to, const void* from, unsigned long bytes) noexcept {
  return memcpy(to, from, bytes);
}
CONVOSCOPE_UNSEEN void* __tsan_memset(void* to, int byte, unsigned long bytes) noexcept {
  return memset(to, byte, bytes);
}
}  // extern "C"

CONVOSCOPE_UNSEEN static uint3 convoscope_index(const ConvoscopeIndex* from) { return {from->x, from->y, from->z}; }
CONVOSCOPE_UNSEEN static dim3 convoscope_size(const ConvoscopeIndex* from) { return {from->x, from->y, from->z}; }
CONVOSCOPE_UNSEEN uint3 convoscope_thread_index() { return convoscope_index(convoscope_hooks->thread); }
CONVOSCOPE_UNSEEN uint3 convoscope_block_index() { return convoscope_index(convoscope_hooks->block); }
CONVOSCOPE_UNSEEN dim3 convoscope_block_size() { return convoscope_size(convoscope_hooks->block_size); }
CONVOSCOPE_UNSEEN dim3 convoscope_grid_size() { return convoscope_size(convoscope_hooks->grid); }
CONVOSCOPE_UNSEEN void convoscope_barrier(int line) { convoscope_hooks->barrier(line); }
CONVOSCOPE_UNSEEN int convoscope_barrier_of(int line, int kind, int value) {
  return convoscope_hooks->barrier_of(line, kind, value);
}
CONVOSCOPE_UNSEEN void convoscope_meet_warp(unsigned mask, int line) { convoscope_hooks->meet(mask, line); }
CONVOSCOPE_UNSEEN unsigned convoscope_exchange(unsigned mask, unsigned value, int how, int with, int width, int line) {
  return convoscope_hooks->exchange(mask, value, how, with, width, line);
}
CONVOSCOPE_UNSEEN unsigned convoscope_vote(unsigned mask, int value, int line) {
  return convoscope_hooks->vote(mask, value, line);
}
[[noreturn]] CONVOSCOPE_UNSEEN void convoscope_outside(int index, int count) {
  convoscope_hooks->outside(index, count, CONVOSCOPE_HERE);
  __builtin_trap();
}
CONVOSCOPE_UNSEEN void* convoscope_shared_memory(size_t offset_bytes, int count, size_t element_bytes) {
  return convoscope_hooks->shared(offset_bytes, count, element_bytes, CONVOSCOPE_HERE);
}
CONVOSCOPE_UNSEEN void* convoscope_dynamic_shared() { return convoscope_hooks->shared(0, 0, 1, CONVOSCOPE_HERE); }
CONVOSCOPE_UNSEEN void convoscope_atomic(const void* address, size_t bytes) {
  convoscope_hooks->access(address, bytes, 2, CONVOSCOPE_HERE);
}
template <class T>
CONVOSCOPE_UNSEEN T convoscope_argument(void* from) {
  return *static_cast<T*>(from);
}

// Whether a kernel's parameters are as large as the arguments that it is given.
template <class, class... Arguments, class... Parameters>
constexpr bool convoscope_fits(void (*)(Parameters...)) {
  if constexpr (sizeof...(Arguments) != sizeof...(Parameters))
    return false;
  else
    return ((sizeof(Arguments) == sizeof(Parameters)) && ...);
}
