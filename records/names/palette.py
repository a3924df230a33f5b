"""The colours of the families of implementations: four shades each, on white and on the dark page.

Made in OKLCH, one hue per family, so that the shades of one differ in lightness alike: 3:1 or more
on their page for all. Neighbouring hues stay apart for the colour-blind; in grey print markers,
lines and hatches tell apart.
"""

from __future__ import annotations

# family: (on white, on the dark page), the shade of the family's main implementation first
SHADES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "plain": (("#b84402", "#e95c12", "#863002", "#5d1f01"),
              ("#fd8452", "#da6431", "#feb395", "#fed8c9")),
    "tiles": (("#0271c2", "#2393f1", "#03528e", "#013762"),
              ("#61b0fe", "#3c90e0", "#9cccfe", "#cce4ff")),
    "register tiles": (("#956300", "#bf8105", "#6c4701", "#492f02"),
                       ("#d79f4d", "#b6802a", "#f5bc6a", "#fedbab")),
    "overlapped": (("#8f4ab4", "#b16cd9", "#6e2791", "#500170"),
                   ("#c98eec", "#a970cb", "#e1b1fe", "#efd7fe")),
    "best": (("#018455", "#1da871", "#035f3d", "#014128"),
             ("#5ec291", "#3ca273", "#7cdfad", "#97fac6")),
    "matrix units": (("#bf2374", "#e64d95", "#910155", "#640139"),
                     ("#fb78b0", "#d85891", "#ffaacb", "#ffd4e3")),
    "library": (("#4d4d4d", "#8c8c8c", "#333333", "#717171"),
                ("#b7b7b7", "#868686", "#dedede", "#9e9e9e")),
    "other": (("#077d8c", "#11a1b4", "#015a66", "#023d45"),
              ("#5abbcb", "#379bab", "#78d8e9", "#a1f0ff")),
}


def dark_of() -> dict[str, str]:
    """Each colour on white, and what stands for it on the dark page."""
    return {light: dark for lights, darks in SHADES.values() for light, dark in zip(lights, darks)}
