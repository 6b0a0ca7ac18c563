// SPDX-License-Identifier: Apache-2.0

// The verb `demo`. Its library needs databases that no other verb needs, so it is
// loaded when it is asked for, from the folder of Holdfast's own libraries.

#include "demo/demo.h"

#include "verbs.h"

#ifdef HOLDFAST_DEMO_LIBRARY
#include <dlfcn.h>

#include "holdfast/client.h"
#include "say.h"
#endif

namespace holdfast::cli {

#ifdef HOLDFAST_DEMO_LIBRARY

int demo(std::vector<std::string> args) {
  Dl_info core = {};
  dladdr(reinterpret_cast<const void*>(&holdfast::version), &core);
  const std::string file = core.dli_fname != nullptr ? core.dli_fname : "";
  const std::string library =
      file.substr(0, file.rfind('/') + 1) + HOLDFAST_DEMO_LIBRARY;
  void* const handle = library.starts_with('/')
                           ? dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)
                           : nullptr;
  void* const symbol = handle != nullptr ? dlsym(handle, "holdfast_demo_v0") : nullptr;
  if (symbol == nullptr) {
    const char* const why = dlerror();
    return fail({Errc::unsupported, "the demo is not there: " +
                                        std::string(why != nullptr ? why : library) +
                                        "; install the package holdfast-demo"});
  }
  return reinterpret_cast<decltype(&holdfast_demo_v0)>(symbol)(args);
}

#else

int demo(std::vector<std::string> args) {  // NOLINT: as every verb
  return holdfast_demo_v0(args);
}

#endif

}  // namespace holdfast::cli
