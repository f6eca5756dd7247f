// What LeakSanitizer is not to tell of, since it is not ours to free: x265 3.5 keeps small pieces of memory of every
// encoder.
extern "C" const char* __lsan_default_suppressions() { return "leak:x265_malloc\n"; }
