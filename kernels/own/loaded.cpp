#include "kernels/own/loaded.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

#include "kernels/text/error.h"

namespace convoscope::own {
namespace {

// What comes from a compiler is whole; a file that was cut off nevertheless is not read beyond its end.
template <class T>
std::vector<T> table_of(const std::string& bytes, std::uint64_t offset, std::uint64_t size) {
  std::vector<T> table;
  if (offset > bytes.size() || size > bytes.size() - offset) return table;
  table.resize(size / sizeof(T));
  std::memcpy(table.data(), bytes.data() + offset, table.size() * sizeof(T));
  return table;
}

std::string text_at(const std::string& bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return {};
  return bytes.c_str() + offset;
}

// "tile" of "(anonymous namespace)::blur<float>(…)::tile".
std::string short_name(const std::string& mangled) {
  const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, nullptr),
                                                     std::free);
  std::string name = plain ? plain.get() : mangled;
  if (const std::size_t last = name.rfind("::"); last != std::string::npos) name.erase(0, last + 2);
  return name;
}

}  // namespace

Loaded::Loaded(const std::string& library) : handle_(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!handle_) throw Error(std::string("the compiled kernel cannot be loaded: ") + dlerror());
  begin_ = reinterpret_cast<void (*)(const ConvoscopeHooks*)>(dlsym(handle_, "convoscope_begin"));
  kernels_ = static_cast<const ConvoscopeKernel*>(dlsym(handle_, "convoscope_kernels"));
  arrays_ = static_cast<const ConvoscopeArray*>(dlsym(handle_, "convoscope_arrays"));
  types_ = static_cast<const ConvoscopeType*>(dlsym(handle_, "convoscope_types"));
  if (!begin_ || !kernels_ || !arrays_ || !types_) throw Error("the compiled kernel is not whole");
  link_map* map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 && map) base_ = map->l_addr;
  read_symbols(library);
}

Loaded::~Loaded() { dlclose(handle_); }

void Loaded::read_symbols(const std::string& library) {
  std::ifstream file(library, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto head = table_of<ElfW(Ehdr)>(bytes, 0, sizeof(ElfW(Ehdr)));
  if (head.empty()) return;
  const auto sections = table_of<ElfW(Shdr)>(bytes, head[0].e_shoff, head[0].e_shnum * sizeof(ElfW(Shdr)));
  if (head[0].e_shstrndx >= sections.size()) return;
  const auto section_name = [&](const ElfW(Shdr) & section) {
    return text_at(bytes, sections[head[0].e_shstrndx].sh_offset + section.sh_name);
  };
  for (const auto& section : sections)
    if (section.sh_flags & SHF_ALLOC) bytes_ = std::max<std::uint64_t>(bytes_, section.sh_addr + section.sh_size);
  for (const auto& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    for (const auto& symbol : table_of<ElfW(Sym)>(bytes, section.sh_offset, section.sh_size)) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_size == 0 || symbol.st_shndx >= sections.size())
        continue;
      const auto& home = sections[symbol.st_shndx];
      const std::string mangled = text_at(bytes, sections[section.sh_link].sh_offset + symbol.st_name);
      const bool own = mangled.find("convoscope_") == std::string::npos;  // not the judge's
      if (!(home.sh_flags & SHF_WRITE) || !own || !mangled.starts_with("_Z")) continue;
      const bool local = mangled.starts_with("_ZZ");  // of a function: shared memory alone can be static there
      const std::string place = section_name(home);
      const Variable::Kind kind = place == "convoscope_constant"          ? Variable::Kind::constant_memory
                                  : local || place == "convoscope_shared" ? Variable::Kind::shared
                                                                          : Variable::Kind::device;
      variables_.push_back({short_name(mangled), kind, reinterpret_cast<char*>(base_ + symbol.st_value),
                            static_cast<std::size_t>(symbol.st_size)});
    }
  }
}

const ConvoscopeKernel& Loaded::kernel(const std::string& instance) const {
  for (const ConvoscopeKernel* kernel = kernels_; kernel->name; ++kernel)
    if (kernel->name == instance) return *kernel;
  throw Error("there is no kernel " + instance);
}

std::size_t Loaded::size_of(const std::string& type) const {
  for (const ConvoscopeType* one = types_; one->name; ++one)
    if (one->name == type) return one->bytes;
  throw Error("there is no type " + type);
}

const ConvoscopeArray& Loaded::array(const std::string& name) const {
  for (const ConvoscopeArray* one = arrays_; one->name; ++one)
    if (one->name == name) return *one;
  throw Error("there is no array " + name);
}

}  // namespace convoscope::own
