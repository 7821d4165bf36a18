# Copy to packages/ringmark/package.py of a repository of your own (spack repo create).
from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage  # of Spack 1
except ImportError:
    pass  # Spack 0.23 has it in spack.package


class Ringmark(CMakePackage):
    """Collective-communication benchmarks for training clusters."""

    # A checkout of the sources: spack dev-build ringmark@main, or spack develop --path CHECKOUT ringmark@main
    has_code = True

    version("main")

    variant("sweeps", default=True, description="Build ringmark-sweep and ringmark-accept")
    variant("mpi", default=True, description="Build a module for the MPI")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("fmt@9:11")
    depends_on("cli11@2.1:")
    depends_on("nlohmann-json@3.11:")
    depends_on("openssl")
    depends_on("yaml-cpp@0.7:", when="+sweeps")
    depends_on("boost@1.74: +math", when="+sweeps")
    depends_on("eigen@3.4", when="+sweeps")
    depends_on("mpi", when="+mpi")

    conflicts("%gcc@:10", msg="the sources are C++20")

    def cmake_args(self):
        # ringmark-analyze needs libxlsxwriter and Chart.js, ringmark-history SQLiteCpp, which Spack does not have.
        return [
            self.define("RINGMARK_ANALYSIS", False),
            self.define("RINGMARK_HISTORY", False),
            self.define_from_variant("RINGMARK_SWEEPS", "sweeps"),
            self.define_from_variant("RINGMARK_REPLAY", "sweeps"),
            self.define_from_variant("RINGMARK_MPI", "mpi"),
            self.define("RINGMARK_TESTS", False),
            self.define("RINGMARK_BENCHMARKS", False),
        ]
