// SPDX-License-Identifier: Apache-2.0

#include "core/engine_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <string_view>

#include "base/descriptor.h"

namespace holdfast::core {
namespace {

Failure cannot(const std::string& engine, const std::string& why) {
  return {Errc::no_engine, "engine '" + engine + "' " + why};
}

}  // namespace

#if HOLDFAST_SHARED

namespace {

// Returns the path of a library beside the core's own, or nothing where the loader was
// given a relative path for that: another folder may be the current one by now.
std::string library_of(const std::string& engine) {
  Dl_info core = {};
  if (::dladdr(reinterpret_cast<const void*>(&load_engine), &core) == 0) return {};
  const std::string_view file = core.dli_fname;
  if (!file.starts_with('/')) return {};
  return std::string(file.substr(0, file.rfind('/') + 1)) + "libholdfast-" + engine +
         ".so." HOLDFAST_SOVERSION;
}

}  // namespace

bool is_installed(const std::string& engine) {
  const std::string library = library_of(engine);
  return !library.empty() && ::access(library.c_str(), R_OK) == 0;
}

Result<const base::EngineEntry*> load_engine(const std::string& engine) {
  const std::string library = library_of(engine);
  if (library.empty()) {
    return cannot(engine,
                  "is not looked for, because libholdfast-core was found by a relative "
                  "path; LD_LIBRARY_PATH needs the whole path");
  }
  if (::access(library.c_str(), R_OK) != 0) {
    return cannot(engine, "is not installed: there is no " + library +
                              "; install the package libholdfast-" + engine +
                              HOLDFAST_SOVERSION);
  }
  if (!base::can_open_more()) {
    return Failure(Errc::unavailable, "cannot load the engine '" + engine +
                                          "': too many files are open; allow more "
                                          "with ulimit -n");
  }
  // Threads of the engine may run until the process ends, so it is never unloaded.
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void* const symbol =
      handle == nullptr
          ? nullptr
          : ::dlsym(handle, ("holdfast_" + engine + "_engine_v0").c_str());
  if (symbol == nullptr) {
    const char* const why = ::dlerror();
    return cannot(engine, std::string("cannot be loaded: ") +
                              (why != nullptr ? why : library.c_str()));
  }
  using Entry = const base::EngineEntry* (*)() noexcept;
  return reinterpret_cast<Entry>(symbol)();
}

#else

bool is_installed(const std::string&) { return false; }

Result<const base::EngineEntry*> load_engine(const std::string& engine) {
  return cannot(engine, "is not linked into this program; link holdfast::" + engine);
}

#endif

}  // namespace holdfast::core
