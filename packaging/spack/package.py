"""The recipe for Spack: copy this folder to var/spack/repos/.../packages/lrgd."""
from spack.package import *


class Lrgd(CMakePackage):
    """Minimises expensive functions that vary along few directions."""

    url = "URL_OF_THE_RELEASE"
    license("MIT")

    version("0.2.0", sha256="SHA256_OF_THE_RELEASE")

    variant("mpi", default=True,
            description="Evaluations and vectors over the ranks of MPI")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("jansson")
    depends_on("cairo+pdf+svg+png")
    depends_on("sqlite")
    depends_on("zlib-api")
    depends_on("mpi", when="+mpi")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("LRGD_TESTS", False),
            self.define("LRGD_BENCH", False),
            self.define_from_variant("LRGD_MPI", "mpi"),
        ]
