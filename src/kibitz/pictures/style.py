"""The style sheet of all pictures: CSS classes, with colours as custom properties.

A picture follows the reader's choice of light or dark, or that of an element around it with
``data-theme="light"`` or ``data-theme="dark"``.
"""

from __future__ import annotations

_LIGHT = {
    "ground": "#e4ebe4",
    "panel": "#f6f8f5",
    "edge": "#c3cec5",
    "text": "#1d2822",
    "quiet": "#55645b",
    "chip": "#e6ece6",
    "accent": "#0b6b4f",
    "on-accent": "#ffffff",
    "lit": "#d97706",
    "paper": "#fffefa",
    "rim": "#b9b3a3",
    "cell": "#f3e9d2",
    "cell2": "#e3d2ae",
    "wood": "#b98d55",
    "sea": "#d5e5ec",
    "land": "#c6d3b4",
    "shade": "#00000022",
}
_DARK = {
    "ground": "#16201b",
    "panel": "#1f2c25",
    "edge": "#3a4a41",
    "text": "#e8efe9",
    "quiet": "#a3b3a9",
    "chip": "#2a3931",
    "accent": "#57c79c",
    "on-accent": "#08221a",
    "lit": "#ffb84d",
    "paper": "#f3efe4",
    "rim": "#8f8875",
    "cell": "#cbbb95",
    "cell2": "#ab966a",
    "wood": "#6d5230",
    "sea": "#1b2c36",
    "land": "#33463a",
    "shade": "#00000055",
}

HUE_COLOURS = {
    "red": ("#c6302b", "#ffffff"),
    "blue": ("#1f63b5", "#ffffff"),
    "green": ("#2f7d32", "#ffffff"),
    "yellow": ("#f2c22c", "#2b2200"),
    "orange": ("#d9701a", "#ffffff"),
    "purple": ("#7a3fa0", "#ffffff"),
    "pink": ("#d0458a", "#ffffff"),
    "brown": ("#7c5234", "#ffffff"),
    "black": ("#22262a", "#ffffff"),
    "white": ("#f7f4ec", "#2a2a2a"),
    "grey": ("#7c858c", "#ffffff"),
    "teal": ("#12808a", "#ffffff"),
    "wild": ("#22262a", "#ffffff"),
    "paper": ("#3c3a34", "#ffffff"),
}
"""The colour of each hue, and the colour of signs on it."""

_RULES = """
.kz{background:var(--kz-ground);font-family:system-ui,"Segoe UI",Roboto,Arial,"Liberation Sans",
"DejaVu Sans",sans-serif;user-select:none}
.kz text{fill:var(--kz-text)}
.kz .kz-quiet{fill:var(--kz-quiet)}
.kz .kz-strong,.kz .kz-heading,.kz .kz-bold{font-weight:700}
.kz .kz-serif{font-family:Georgia,"Liberation Serif",serif;font-weight:700}
.kz .kz-print{fill:#3c3a34}
.kz-panel{fill:var(--kz-panel);stroke:var(--kz-edge)}
.kz-panel.kz-turn{stroke:var(--kz-accent);stroke-width:2.5}
.kz-panel.kz-out{stroke-dasharray:4 4;opacity:.7}
.kz-mark{fill:var(--kz-chip)}
.kz-chip{fill:var(--kz-chip)}
.kz-face{fill:var(--kz-paper);stroke:var(--kz-rim)}
.kz-filled{fill:var(--kz-h);stroke:var(--kz-paper);stroke-width:1.5}
.kz-filled.kz-h-white{stroke:var(--kz-rim)}
.kz .kz-ink{fill:var(--kz-k,var(--kz-h))}
.kz .kz-filled~.kz-ink{fill:var(--kz-i)}
.kz-h-yellow{--kz-k:#866400}.kz-h-orange{--kz-k:#ad5510}.kz-h-white,.kz-h-grey{--kz-k:#5b6167}
.kz-band{fill:var(--kz-h)}
.kz-court{fill:none;stroke:var(--kz-rim)}
.kz-gilt{fill:#c8962e}
.kz-back{stroke:var(--kz-paper);stroke-width:1.5}
.kz-back-0{fill:#2c4a7c}.kz-back-1{fill:#7c2c3c}.kz-back-2{fill:#2c6b52}.kz-back-3{fill:#5a3d78}
.kz-lace{fill:none;stroke:#ffffff66}
.kz-knot{fill:#ffffff40}
.kz-under{fill:var(--kz-paper);stroke:var(--kz-rim)}
.kz-empty{fill:none;stroke:var(--kz-edge);stroke-width:1.5;stroke-dasharray:5 4}
.kz-count{fill:var(--kz-text)}
.kz .kz-counted{fill:var(--kz-ground);font-weight:700}
.kz-cell{fill:var(--kz-cell);stroke:var(--kz-wood)}
.kz-cell.kz-second{fill:var(--kz-cell2)}
.kz-sky{fill:var(--kz-sea);opacity:.55}
.kz-roof{fill:#4a3a2c}
.kz-car{fill:var(--kz-h)}
.kz-window{fill:#f3e3bd}
.kz .kz-oncar{fill:#fff}
.kz-wheel{fill:#3a3632}
.kz-rail{stroke:var(--kz-quiet);stroke-width:3}
.kz-badge{fill:#8a5a00}
.kz-sign{fill:var(--kz-text)}
.kz-now{fill:var(--kz-accent)}.kz-now+.kz-sign{fill:var(--kz-on-accent)}
.kz-organ{fill:var(--kz-chip)}
.kz-infected{fill:#e9b7b0}.kz-vaccinated{fill:#b9dcbc}.kz-immune{fill:#7fc08a}
.kz-sea{fill:var(--kz-sea)}
.kz-land{fill:var(--kz-land);stroke:none}
.kz-city{fill:var(--kz-h);stroke:var(--kz-panel);stroke-width:1.5}
.kz-city.kz-h-black{stroke:#9aa59e}
.kz-veil{fill:var(--kz-panel);opacity:.62}
.kz-house{fill:#fdfdfb;stroke:#222;stroke-width:1;vector-effect:non-scaling-stroke}
.kz-step{fill:var(--kz-h)}
.kz-faint{opacity:.35}
.kz-stroke{fill:none;stroke:#fff;stroke-width:2.5;vector-effect:non-scaling-stroke}
.kz-link{stroke:var(--kz-quiet);stroke-width:1.2;fill:none;opacity:.7}
.kz-place{fill:var(--kz-panel);stroke:var(--kz-text);stroke-width:1.5}
.kz-piece{fill:var(--kz-h);stroke:#00000080;vector-effect:non-scaling-stroke;stroke-width:1.2}
.kz-piece.kz-h-black{stroke:#ffffff99}
.kz-wall{opacity:.75;stroke:none}
.kz-trail{stroke:none}
.kz-groove{fill:none;stroke:#00000030;stroke-width:1.5}
.kz-tile{fill:var(--kz-paper);stroke:var(--kz-rim)}
.kz-frame{fill:#2358a5}
.kz-hole{fill:var(--kz-ground)}
.kz-shaft{fill:#ffffff00}
.kz .kz-oncell{fill:#2a2419}
.kz-tie{stroke:#1f63b5;stroke-width:6;stroke-linecap:round;pointer-events:none}
.kz-heavy{stroke:var(--kz-wood);stroke-width:4}
.kz .kz-onpiece{fill:var(--kz-i);font-weight:700}
.kz text,.kz-chip,.kz-mark,.kz-count,.kz-under,.kz-back,.kz-lace,.kz-knot{pointer-events:none}
.kz-lit>*{pointer-events:auto}
.kz-ring{fill:none;stroke:none;pointer-events:all}
.kz-lit{cursor:pointer}
.kz-card{transition:transform .15s}
.kz-card.kz-lit{transform:translateY(-4px)}
.kz-card.kz-lit:hover,.kz-card.kz-lit:focus,.kz-card.kz-chosen{transform:translateY(-9px)}
@media(prefers-reduced-motion:reduce){.kz-card{transition:none}}
.kz-lit>.kz-ring{stroke:var(--kz-lit);stroke-width:2.5}
.kz-lit:hover>.kz-ring,.kz-lit:focus>.kz-ring{stroke-width:5}
.kz-lit:focus{outline:none}
.kz-lit:focus-visible>.kz-ring{stroke:var(--kz-text);stroke-width:5}
.kz-chosen>.kz-ring{stroke:var(--kz-accent);stroke-width:5}
"""


def _properties(colours: dict[str, str]) -> str:
    return ";".join(f"--kz-{name}:{value}" for name, value in colours.items())


def _hues() -> str:
    return "".join(
        f".kz-h-{name}{{--kz-h:{fill};--kz-i:{ink}}}" for name, (fill, ink) in HUE_COLOURS.items()
    )


STYLE = (
    f".kz{{{_properties(_LIGHT)}}}"
    f"@media(prefers-color-scheme:dark){{.kz{{{_properties(_DARK)}}}}}"
    f'[data-theme="light"] .kz{{{_properties(_LIGHT)}}}'
    f'[data-theme="dark"] .kz{{{_properties(_DARK)}}}' + _hues() + _RULES.replace("\n", "")
)
"""The style sheet of pictures, as CSS."""
