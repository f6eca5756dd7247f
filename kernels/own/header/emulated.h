// CUDA's own words for the host's compiler. What happens in them is the program's affair, which judges the kernel.
struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};
#define CONVOSCOPE_VECTOR_TYPES(name, element)                                            \
  struct alignas(2 * sizeof(element)) name##2 {                                           \
    element x, y;                                                                         \
  };                                                                                      \
  struct name##3 {                                                                        \
    element x, y, z;                                                                      \
  };                                                                                      \
  struct alignas(4 * sizeof(element)) name##4 {                                           \
    element x, y, z, w;                                                                   \
  };                                                                                      \
  constexpr name##2 make_##name##2(element x, element y) { return {x, y}; }               \
  constexpr name##3 make_##name##3(element x, element y, element z) { return {x, y, z}; } \
  constexpr name##4 make_##name##4(element x, element y, element z, element w) { return {x, y, z, w}; }
CONVOSCOPE_VECTOR_TYPES(float, float)
CONVOSCOPE_VECTOR_TYPES(int, int)
CONVOSCOPE_VECTOR_TYPES(uchar, unsigned char)
CONVOSCOPE_VECTOR_TYPES(short, short)
CONVOSCOPE_VECTOR_TYPES(ushort, unsigned short)
#undef CONVOSCOPE_VECTOR_TYPES
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

uint3 convoscope_thread_index();
uint3 convoscope_block_index();
dim3 convoscope_block_size();
dim3 convoscope_grid_size();
#define threadIdx (convoscope_thread_index())
#define blockIdx (convoscope_block_index())
#define blockDim (convoscope_block_size())
#define gridDim (convoscope_grid_size())
inline constexpr int warpSize = 32;

void convoscope_barrier(int line);
int convoscope_barrier_of(int line, int kind, int value);  // 0: count, 1: and, 2: or
void convoscope_meet_warp(unsigned mask, int line);
unsigned convoscope_exchange(unsigned mask, unsigned value, int how, int with, int width, int line);
unsigned convoscope_vote(unsigned mask, int value, int line);
[[noreturn]] void convoscope_outside(int index, int count);
void* convoscope_shared_memory(size_t offset_bytes, int count, size_t element_bytes);
void* convoscope_dynamic_shared();  // what stands for an array that is extern
void convoscope_atomic(const void* address, size_t bytes);

#define __syncthreads() convoscope_barrier(__LINE__)
#define __syncthreads_count(value) convoscope_barrier_of(__LINE__, 0, value)
#define __syncthreads_and(value) convoscope_barrier_of(__LINE__, 1, value)
#define __syncthreads_or(value) convoscope_barrier_of(__LINE__, 2, value)
inline void convoscope_sync_warp(int line, unsigned mask = 0xffffffffu) { convoscope_meet_warp(mask, line); }
#define __syncwarp(...) convoscope_sync_warp(__LINE__ __VA_OPT__(, ) __VA_ARGS__)
inline void __threadfence() {}
inline void __threadfence_block() {}

template <class T>
inline T convoscope_shuffle(int how, int line, unsigned mask, T value, int with, int width = 32) {
  static_assert(sizeof(T) == 4, "the emulator shuffles values of four bytes");
  const unsigned word = convoscope_exchange(mask, __builtin_bit_cast(unsigned, value), how, with, width, line);
  return __builtin_bit_cast(T, word);
}
#define __shfl_sync(...) convoscope_shuffle(0, __LINE__, __VA_ARGS__)
#define __shfl_up_sync(...) convoscope_shuffle(1, __LINE__, __VA_ARGS__)
#define __shfl_down_sync(...) convoscope_shuffle(2, __LINE__, __VA_ARGS__)
#define __shfl_xor_sync(...) convoscope_shuffle(3, __LINE__, __VA_ARGS__)
#define __ballot_sync(mask, value) convoscope_vote(mask, value, __LINE__)
#define __any_sync(mask, value) (convoscope_vote(mask, value, __LINE__) != 0)

template <class T>
inline T atomicAdd(T* address, decltype(T() + T()) value) {
  convoscope_atomic(address, sizeof(T));
  const T before = *address;
  *address = static_cast<T>(before + value);
  return before;
}
template <class T>
inline T atomicMax(T* address, T value) {
  convoscope_atomic(address, sizeof(T));
  const T before = *address;
  *address = before < value ? value : before;
  return before;
}
template <class T>
inline T atomicMin(T* address, T value) {
  convoscope_atomic(address, sizeof(T));
  const T before = *address;
  *address = value < before ? value : before;
  return before;
}
template <class T>
inline T atomicExch(T* address, T value) {
  convoscope_atomic(address, sizeof(T));
  const T before = *address;
  *address = value;
  return before;
}
template <class T>
inline T atomicCAS(T* address, T compare, T value) {
  convoscope_atomic(address, sizeof(T));
  const T before = *address;
  if (before == compare) *address = value;
  return before;
}
template <class T>
inline T __ldg(const T* address) {
  return *address;
}
template <class T>
inline void __stcs(T* address, const T& value) {
  *address = value;
}

extern "C" {
float fmaf(float, float, float) noexcept;
float sqrtf(float) noexcept;
float rintf(float) noexcept;
float roundf(float) noexcept;
float floorf(float) noexcept;
float ceilf(float) noexcept;
float truncf(float) noexcept;
float fabsf(float) noexcept;
float fminf(float, float) noexcept;
float fmaxf(float, float) noexcept;
float expf(float) noexcept;
float logf(float) noexcept;
float powf(float, float) noexcept;
float sinf(float) noexcept;
float cosf(float) noexcept;
float hypotf(float, float) noexcept;
double fma(double, double, double) noexcept;
double sqrt(double) noexcept;
double rint(double) noexcept;
double floor(double) noexcept;
double fabs(double) noexcept;
int abs(int) noexcept;
void* memcpy(void*, const void*, size_t) noexcept;
void* memset(void*, int, size_t) noexcept;
}
constexpr int min(int a, int b) { return b < a ? b : a; }
constexpr int max(int a, int b) { return a < b ? b : a; }
constexpr unsigned min(unsigned a, unsigned b) { return b < a ? b : a; }
constexpr unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }
constexpr unsigned min(int a, unsigned b) { return min(static_cast<unsigned>(a), b); }
constexpr unsigned min(unsigned a, int b) { return min(a, static_cast<unsigned>(b)); }
constexpr unsigned max(int a, unsigned b) { return max(static_cast<unsigned>(a), b); }
constexpr unsigned max(unsigned a, int b) { return max(a, static_cast<unsigned>(b)); }
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __saturatef(float a) { return a > 0 ? fminf(a, 1.0f) : 0.0f; }
inline float __fdividef(float a, float b) { return a / b; }
inline float rsqrtf(float a) { return 1 / sqrtf(a); }
inline int __float2int_rn(float a) { return static_cast<int>(rintf(a)); }
inline int __float2int_rz(float a) { return static_cast<int>(a); }
inline int __float2int_rd(float a) { return static_cast<int>(floorf(a)); }
inline unsigned __float2uint_rn(float a) { return static_cast<unsigned>(rintf(a)); }
inline float __int2float_rn(int a) { return static_cast<float>(a); }
inline float __uint2float_rn(unsigned a) { return static_cast<float>(a); }
inline float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
inline unsigned __float_as_uint(float value) { return __builtin_bit_cast(unsigned, value); }
inline float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
inline int __float_as_int(float value) { return __builtin_bit_cast(int, value); }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __clz(int bits) { return bits ? __builtin_clz(static_cast<unsigned>(bits)) : 32; }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
