from __future__ import annotations

from commands.satellites import Satellite, Start

USE = ("it answers the matrix products of a program that is started so: LD_PRELOAD=$(./gemmlab "
       "library) PROGRAM (api/README.md)")
SATELLITE = Satellite(starts={"library": Start(target="gemmlab_blas",
                                               program="api/blas/libgemmlab_blas.so", used=USE)})
