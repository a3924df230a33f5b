"""Who is set against whom: the same idea on both sides, and the best of both."""

from __future__ import annotations

from dataclasses import dataclass, field

from records.cases.case import Case
from records.cases.series import Shape

from .points import KERNEL, Contest, Match

ONE, ALL, ANY = "one", "all", "any"  # cores of the CPU side


@dataclass(frozen=True)
class Pairing:
    """A way of choosing one point of each device at a shape."""

    name: str  # English, its own key
    # names without the device, in order of preference; none: whatever is fastest
    cpu: tuple[str, ...] = ()
    gpu: tuple[str, ...] = ()
    cores: str = ANY
    libraries: bool = False
    precision: str = "fp32"  # of the GPU
    cpu_precision: tuple[str, ...] = ("fp32",)
    # parameters of the GPU side
    preferred: dict[str, object] = field(default_factory=dict, hash=False)

    @property
    def of_any(self) -> bool:
        """Does it take the fastest of each device, whoever that is?"""
        return not (self.cpu or self.gpu or self.libraries)


def _matched(cpu: str, gpu: str, name: str, one: str,
             **preferred: object) -> tuple[Pairing, Pairing]:
    return (Pairing(name, (cpu,), (gpu,), ALL, preferred=preferred),
            Pairing(one, (cpu,), (gpu,), ONE, preferred=preferred))


BEST = Pairing("best against best")
# A CPU that has matrix units uses them, too: else the units would be compared, not the devices.
SPLIT = Pairing("best at FP32's accuracy against the GPU's matrix units", precision="fp32-split",
                cpu_precision=("fp32", "fp32-split"))
UNITS = tuple(Pairing(text, ("matrix",), ("tensor",), cores,
                      precision="fp32-split", cpu_precision=("fp32-split",))
              for text, cores in (("matrix units on both sides, all cores", ALL),
                                  ("matrix units on both sides, one core", ONE)))
PLAIN = Pairing("plain loops, all cores", ("openmp",), ("naive",), ALL)
SERIAL = Pairing("plain loops, one core", ("serial", "openmp"), ("naive",), ONE)
MATCHED = (*_matched("blocked", "tiled", "tiles, all cores", "tiles, one core", block=32),
           *_matched("register_blocked", "register_tiled",
                     "register tiles, all cores", "register tiles, one core"),
           *_matched("packed", "pipelined", "the suite's own best, all cores",
                     "the suite's own best, one core"),
           *_matched("tiles_blocked", "matrix_tuned",
                     "matrix units on narrow types, all cores",
                     "matrix units on narrow types, one core"),
           Pairing("libraries, all cores", cores=ALL, libraries=True),
           Pairing("libraries, one core", cores=ONE, libraries=True))
PAIRINGS = (BEST, SPLIT, PLAIN, SERIAL, *MATCHED[::2], UNITS[0], *MATCHED[1::2], UNITS[1])


def named_ones(cases: list[Case], names: tuple[str, ...]) -> list[Case]:
    """Those of the first of the names that has a point."""
    for name in names:
        found = [case for case in cases if case.implementation.partition(".")[2] == name]
        if found:
            return found
    return [] if names else cases


def on_cores(cases: list[Case], cores: str, there: int) -> list[Case]:
    """Those on one thread, or those on as many threads as the most that the host has cores for."""
    if cores == ANY:
        return cases
    if cores == ONE:
        return [case for case in cases if case.threads == 1]
    most = max((case.threads for case in cases if not there or case.threads <= there), default=0)
    return [case for case in cases if case.threads == most and most > 1]


def match_of(pairing: Pairing, contest: Contest, shape: Shape, way: str = KERNEL) -> Match | None:
    """Of those that the pairing allows the fastest of each device; None where one has no number."""
    def side(device: str, precisions: tuple[str, ...]) -> list[Case]:
        found = [case for precision in precisions
                 for case in contest.of(shape, device, way, precision) if not pairing.libraries
                 or case.library]
        return (sorted(found, key=lambda case: (case.median_s, case.case_id))
                if len(precisions) > 1 else found)

    cpu = on_cores(named_ones(side("cpu", pairing.cpu_precision), pairing.cpu), pairing.cores,
                   contest.cores)
    gpu = named_ones(side("gpu", (pairing.precision,)), pairing.gpu)
    wanted = [case for case in gpu
              if all(case.parameters.get(key) == value for key, value in pairing.preferred.items())]
    return Match(cpu[0], (wanted or gpu)[0]) if cpu and gpu else None


def matches_of(pairing: Pairing, contest: Contest, way: str = KERNEL) -> list[Match]:
    """At each shape that has one, smallest work first."""
    found = (match_of(pairing, contest, shape, way) for shape in contest.shapes)
    return [match for match in found if match]
