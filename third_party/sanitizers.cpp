// What LeakSanitizer is not to tell of, since it is not ours to free: x265 3.5 keeps small pieces of memory of every
// encoder, dav1d 1.0 of a damaged picture.
extern "C" const char* __lsan_default_suppressions() { return "leak:x265_malloc\nleak:libdav1d\n"; }

// What a program under AddressSanitizer does unless ASAN_OPTIONS says otherwise. Three callers of an allocation name
// who leaks it, and the thirty that are usual cost a tenth of the time; 64 MB of what was freed are watched.
extern "C" const char* __asan_default_options() {
  return "intercept_tls_get_addr=0:malloc_context_size=3:quarantine_size_mb=64:handle_sigill=1";
}
