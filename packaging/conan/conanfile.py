# SPDX-License-Identifier: Apache-2.0

"""Holdfast for Conan 2: conan create packaging/conan"""

import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class Holdfast(ConanFile):
    name = "holdfast"
    description = "Distributed locking for C++: one API, many engines, one binary"
    license = "Apache-2.0"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "redis": [True, False],
        "mysql": [True, False],
        "tools": [True, False],
    }
    default_options = {"shared": True, "redis": True, "mysql": False, "tools": False}

    @property
    def _tree(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self._tree, "CMakeLists.txt"))
        self.version = re.search(r"project\(holdfast VERSION ([0-9.]+)", text).group(1)

    def export_sources(self):
        for part in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*", "tools/*"):
            copy(self, part, self._tree, self.export_sources_folder)

    def requirements(self):
        if self.options.redis:
            self.requires("hiredis/[>=1.0]")
            self.requires("openssl/[>=3.0 <4]")
        if self.options.mysql:
            self.requires("mariadb-connector-c/[>=3.1]")
        if self.options.tools:
            self.requires("cli11/[>=2.0]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for engine in ("REDIS", "MYSQL"):
            wanted = bool(getattr(self.options, engine.lower()))
            toolchain.cache_variables["HOLDFAST_ENGINE_" + engine] = "ON" if wanted else "OFF"
        toolchain.cache_variables["HOLDFAST_BUILD_TOOLS"] = bool(self.options.tools)
        for part in ("ENGINE_ZOOKEEPER", "ENGINE_ETCD", "BUILD_DEMO", "BUILD_EXAMPLES",
                     "BUILD_BENCH", "BUILD_TESTS"):
            toolchain.cache_variables["HOLDFAST_" + part] = "OFF"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.libs = ["holdfast"]
        self.cpp_info.system_libs = ["pthread"]
        self.cpp_info.set_property("cmake_file_name", "holdfast")
        self.cpp_info.set_property("cmake_target_name", "holdfast::holdfast")
