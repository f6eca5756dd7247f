#include "kernels/own/confined.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <csignal>
#include <cstddef>
#include <vector>

namespace convoscope::own {
namespace {

#if defined(__x86_64__)
constexpr unsigned this_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned this_architecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned this_architecture = 0;
#endif

// What a process needs that computes, allocates and writes to a pipe. Everything else fails as not permitted.
constexpr int permitted[] = {
    SYS_read,      SYS_write,         SYS_close,           SYS_fstat,       SYS_newfstatat,     SYS_lseek,
    SYS_mmap,      SYS_mprotect,      SYS_munmap,          SYS_mremap,      SYS_madvise,        SYS_brk,
    SYS_pread64,   SYS_futex,         SYS_rt_sigaction,    SYS_sigaltstack, SYS_rt_sigprocmask, SYS_rt_sigreturn,
    SYS_setitimer, SYS_clock_gettime, SYS_clock_nanosleep, SYS_getrandom,   SYS_getpid,         SYS_gettid,
    SYS_tgkill,    SYS_exit,          SYS_exit_group,      SYS_sched_yield, SYS_readlinkat,     SYS_restart_syscall,
#if defined(__x86_64__)
    SYS_readlink,
#endif
};

std::vector<sock_filter> filter() {
  using Instruction = sock_filter;
  const auto load = [](unsigned at) { return Instruction BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at); };
  const auto answer = [](unsigned value) { return Instruction BPF_STMT(BPF_RET | BPF_K, value); };
  const auto same = [](unsigned value, unsigned char yes, unsigned char no) {
    return Instruction BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no);
  };
  const Instruction refuse = answer(SECCOMP_RET_ERRNO | 1);  // EPERM
  std::vector<Instruction> program{load(offsetof(seccomp_data, arch)), same(this_architecture, 1, 0), refuse,
                                   load(offsetof(seccomp_data, nr))};
  for (const int call : permitted) {
    program.push_back(same(static_cast<unsigned>(call), 0, 1));
    program.push_back(answer(SECCOMP_RET_ALLOW));
  }
  // Files are opened for reading alone: the library itself, and what it is linked with.
  program.push_back(same(SYS_openat, 0, 3));
  program.push_back(load(offsetof(seccomp_data, args) + 2 * sizeof(__u64)));
  program.push_back(Instruction BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 1, 0));
  program.push_back(answer(SECCOMP_RET_ALLOW));
  program.push_back(refuse);
  return program;
}

}  // namespace

std::string confine_this_process() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
#if !defined(__SANITIZE_ADDRESS__)  // which maps terabytes
  const rlimit memory{4ull << 30, 4ull << 30};
  setrlimit(RLIMIT_AS, &memory);
#endif
  std::vector<sock_filter> instructions = filter();
  const sock_fprog program{static_cast<unsigned short>(instructions.size()), instructions.data()};
  if (this_architecture == 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return "This system has no seccomp filter, so the kernel ran with all rights of yours, network and files included.";
  return {};
}

}  // namespace convoscope::own
