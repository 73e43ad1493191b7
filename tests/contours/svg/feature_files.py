"""Small SVG files with one feature each, on a canvas of 100 x 100, and the colours they show at some points.

The colours follow from the SVG specification. Chromium draws all that come without a warning as we do; resvg (0.5 of
``resvg_py``) all but those that it does not know: ``transform-box``, ``pathLength``, ``vector-effect``, and in styles
variables, geometry, nested rules and transforms.
"""

from __future__ import annotations

Probe = tuple[float, float, str]
RED, GREEN, BLUE, WHITE, BLACK = "#ff0000", "#00ff00", "#0000ff", "#ffffff", "#000000"
_RAMP = '<stop offset="0" stop-color="#f00"/><stop offset="1" stop-color="#00f"/>'
_SQUARE = '<rect x="20" y="20" width="60" height="60"'

FEATURES: dict[str, tuple[str, tuple[Probe, ...]]] = {
    "linear gradient in the box": (
        f'<linearGradient id="g">{_RAMP}</linearGradient>{_SQUARE} fill="url(#g)"/>',
        ((20.5, 50, "#fd0002"), (50, 50, "#800080"), (79.5, 50, "#0200fd")),
    ),
    "linear gradient on the canvas, turned, from another": (
        f'<linearGradient id="s">{_RAMP}</linearGradient><linearGradient id="g" xlink:href="#s" x2="100" '
        f'gradientUnits="userSpaceOnUse" gradientTransform="rotate(90)"/>{_SQUARE} fill="url(#g)"/>',
        ((50, 25, "#bf0040"), (30, 75, "#4000bf")),
    ),
    "linear gradient that repeats": (
        f'<linearGradient id="g" x2=".5" spreadMethod="reflect">{_RAMP}</linearGradient>{_SQUARE} fill="url(#g)"/>',
        ((50, 50, "#0200fd"), (65, 50, "#800080"), (79.5, 50, "#fb0004")),
    ),
    "radial gradient in a wide box": (
        f'<radialGradient id="g">{_RAMP}</radialGradient><rect y="30" width="100" height="40" fill="url(#g)"/>',
        ((50, 50, "#fd0002"), (75, 50, "#800080"), (50, 60, "#800080"), (2, 32, BLUE)),
    ),
    "radial gradient with a focus": (
        f'<radialGradient id="g" cx="50" cy="50" r="40" fx="30" gradientUnits="userSpaceOnUse">{_RAMP}</radialGradient>'
        '<circle cx="50" cy="50" r="40" fill="url(#g)"/>',
        ((30.5, 50, "#fd0002"), (60, 50, "#800080"), (89, 50, "#0400fb")),
    ),
    "gradient with transparent stops": (
        '<linearGradient id="g"><stop stop-color="#00f" stop-opacity="0"/><stop offset="1" stop-color="#00f"/>'
        f'</linearGradient>{_SQUARE} fill="url(#g)"/>',
        ((20.5, 50, "#fdfdff"), (50, 50, "#8080ff"), (79.5, 50, "#0202ff")),
    ),
    "clip path": (
        f'<clipPath id="c"><circle cx="50" cy="50" r="20"/></clipPath>{_SQUARE} fill="red" clip-path="url(#c)"/>',
        ((50, 50, RED), (50, 33, RED), (34, 34, WHITE)),
    ),
    "clip path in the box of a group": (
        '<clipPath id="c" clipPathUnits="objectBoundingBox"><rect width=".5" height="1"/></clipPath>'
        f'<g clip-path="url(#c)">{_SQUARE} fill="red"/></g>',
        ((30, 50, RED), (70, 50, WHITE)),
    ),
    "clip path with a rule and a transform": (
        '<clipPath id="c" transform="translate(10)"><path clip-rule="evenodd" d="M10 10h60v60h-60zM30 30h20v20h-20z"/>'
        f'</clipPath>{_SQUARE} fill="red" clip-path="url(#c)"/>',
        ((50, 40, WHITE), (30, 30, RED), (50, 75, WHITE)),
    ),
    "clipped stroke": (
        '<clipPath id="c"><rect width="50" height="100"/></clipPath>'
        '<path clip-path="url(#c)" d="M20 50H80" stroke="#00f" stroke-width="20" fill="none"/>',
        ((30, 42, BLUE), (60, 50, WHITE)),
    ),
    "group opacity": (
        '<g opacity=".5"><rect x="10" y="10" width="50" height="50" fill="red"/>'
        '<rect x="40" y="40" width="50" height="50" fill="#00f"/></g>',
        ((20, 20, "#ff8080"), (50, 50, "#8080ff"), (80, 80, "#8080ff")),
    ),
    "opacity of a shape with fill and stroke": (
        f'{_SQUARE} fill="red" stroke="#00f" stroke-width="20" opacity=".5"/>',
        ((25, 50, "#8080ff"), (50, 50, "#ff8080"), (13, 50, "#8080ff")),
    ),
    "transform origin": (
        '<rect x="40" y="40" width="20" height="20" fill="red" transform="scale(2)" transform-origin="50 50"/>',
        ((32, 32, RED), (68, 68, RED), (28, 50, WHITE)),
    ),
    "transform about the middle of a shape": (
        '<rect x="50" y="20" width="40" height="10" fill="red" '
        'style="transform:rotate(90deg);transform-origin:center;transform-box:fill-box"/>',
        ((70, 10, RED), (70, 42, RED), (55, 25, WHITE)),
    ),
    "important": (
        f'<style>.a{{fill:#00f!important}} rect{{fill:red}}</style>{_SQUARE} class="a" style="fill:lime"/>',
        ((50, 50, BLUE),),
    ),
    "style rules of several steps": (
        '<style>g > .a{fill:#00f} svg g rect[width="30"]{fill:lime} .b .a{fill:red}</style>'
        '<g><rect class="a" x="10" y="10" width="30" height="30"/><rect class="a" x="60" width="40" height="40"/></g>',
        ((20, 20, GREEN), (80, 20, BLUE)),
    ),
    "paint order": (
        f'{_SQUARE} fill="red" stroke="#00f" stroke-width="20" paint-order="stroke"/>',
        ((25, 50, RED), (15, 50, BLUE)),
    ),
    "miter limit": (
        '<path d="M10 80L50 20L90 80" fill="none" stroke="#00f" stroke-width="16" stroke-miterlimit="1.1"/>',
        ((50, 8, WHITE), (50, 20, BLUE)),
    ),
    "long miter": (
        '<path d="M40 95L50 40L60 95" fill="none" stroke="#00f" stroke-width="6" stroke-miterlimit="20"/>',
        ((50, 26, BLUE), (50, 20, WHITE)),
    ),
    "skewed stroke": (
        '<circle cx="10" cy="50" r="6" fill="none" stroke="#00f" stroke-width="2" transform="scale(5 1)"/>',
        ((16, 50, BLUE), (84, 50, BLUE), (50, 44, BLUE), (50, 50, WHITE), (50, 48, WHITE)),
    ),
    "switch": (
        f'<switch>{_SQUARE} fill="red" systemLanguage="xx"/>{_SQUARE} fill="red" requiredExtensions="http://x.invalid"/>'
        f'{_SQUARE} fill="#00f"/>{_SQUARE} fill="red"/></switch>',
        ((50, 50, BLUE),),
    ),
    "dashes": (
        '<path d="M10 50H90" stroke="#00f" stroke-width="10" stroke-dasharray="20 10" stroke-dashoffset="5"/>',
        ((15, 50, BLUE), (30, 50, WHITE), (40, 50, BLUE), (60, 50, WHITE)),
    ),
    "dashes by path length": (
        '<path d="M10 50H90" stroke="#00f" stroke-width="10" stroke-dasharray="1" pathLength="4"/>',
        ((20, 50, BLUE), (40, 50, WHITE), (60, 50, BLUE), (80, 50, WHITE)),
    ),
    "dots": (
        '<path d="M30 50h0M70 50z" stroke="#00f" stroke-width="20" stroke-linecap="round"/>',
        ((30, 50, BLUE), (24, 44, BLUE), (70, 58, BLUE), (50, 50, WHITE)),
    ),
    "mask": (
        '<mask id="m"><rect width="100" height="100" fill="#fff"/><circle cx="50" cy="50" r="15"/></mask>'
        f'{_SQUARE} fill="red" mask="url(#m)"/>',
        ((30, 30, RED), (50, 50, WHITE)),
    ),
    "mask of half the light": (
        '<mask id="m"><rect width="50" height="100" fill="#fff" opacity=".5"/></mask>'
        f'{_SQUARE} fill="red" mask="url(#m)"/>',
        ((30, 30, "#ff8080"), (70, 50, WHITE)),
    ),
    "pattern": (
        '<pattern id="p" width="20" height="20" patternUnits="userSpaceOnUse">'
        f'<rect width="10" height="20" fill="#00f"/></pattern>{_SQUARE} fill="url(#p)"/>',
        ((25, 50, BLUE), (35, 50, WHITE), (45, 50, BLUE), (15, 50, WHITE), (5, 50, WHITE)),
    ),
    "markers": (
        '<marker id="m" viewBox="0 0 10 10" refX="5" refY="5" markerWidth="4" markerHeight="4" orient="auto">'
        '<path d="M0 0L10 5L0 10z" fill="red"/></marker>'
        '<path d="M20 20V80" stroke="#00f" stroke-width="5" marker-end="url(#m)"/>',
        ((20, 40, BLUE), (20, 85, RED), (13, 72, RED), (13, 88, WHITE), (13, 28, WHITE)),
    ),
    "inner svg cuts off": (
        '<svg x="20" y="20" width="40" height="40" viewBox="0 0 10 10">'
        '<circle cx="10" cy="10" r="6" fill="red"/></svg>',
        ((55, 55, RED), (65, 65, WHITE)),
    ),
    "strokes that do not scale": (
        '<path d="M1 5H9" transform="scale(10)" stroke="#00f" stroke-width="20" vector-effect="non-scaling-stroke"/>',
        ((50, 42, BLUE), (50, 38, WHITE), (50, 62, WHITE)),
    ),
    "inherited through use": (
        '<defs><g id="a"><rect width="20" height="20"/><rect x="30" width="20" height="20" fill="#00f"/></g></defs>'
        '<use href="#a" x="20" y="20" fill="red"/><g color="lime" fill="currentColor"><use href="#a" y="60"/></g>',
        ((25, 25, RED), (55, 25, BLUE), (5, 65, GREEN), (35, 65, BLUE)),
    ),
    "comments in a style": (
        f'{_SQUARE} style="/* a */fill:red;/* b */stroke:none"/>',
        ((50, 50, RED),),
    ),
    "rules for paper and for the screen": (
        "<style>@media print{rect{fill:red}} @media screen{rect{fill:#00f}} "
        f"@keyframes k{{from{{fill:red}}}}</style>{_SQUARE}/>",
        ((50, 50, BLUE),),
    ),
    "rules in rules, variables, the root and the last child": (
        "<style>:root{--a:red} g{rect{fill:var(--a)} &amp;>circle{fill:var(--b,#00f)}}"
        "path:last-child{fill:lime}</style>"
        f'<g>{_SQUARE}/><circle cx="50" cy="50" r="10"/></g><path d="M0 0H10V10H0z"/>',
        ((25, 50, RED), (50, 50, BLUE), (5, 5, GREEN)),
    ),
    "a style sheet in another language": (
        f'<style type="text/less">rect{{fill:red}}</style>{_SQUARE} fill="#00f"/>',
        ((50, 50, BLUE),),
    ),
    "geometry by style": (
        '<style>circle{r:30px;cx:50px;cy:40px} path{d:path("M0 80H20V100H0z")}</style><circle/><path fill="red"/>',
        ((50, 12, BLACK), (50, 68, BLACK), (10, 90, RED)),
    ),
    "lengths in letters": (
        '<g font-size="10"><rect x="2em" y="2em" width="6em" height="2em" font-size="1em" fill="red"/></g>',
        ((22, 22, RED), (78, 38, RED), (82, 42, WHITE)),
    ),
    "transforms by style": (
        '<rect width="20" height="20" fill="red" style="translate:40px 50px;scale:2 1;rotate:0deg"/>',
        ((42, 52, RED), (78, 68, RED), (50, 75, WHITE)),
    ),
    "the current colour of a gradient": (
        '<g color="red"><linearGradient id="g"><stop stop-color="currentColor"/><stop offset="1" stop-color="#00f"/>'
        f'</linearGradient></g>{_SQUARE} fill="url(#g)"/>',
        ((20.5, 50, "#fd0002"), (79.5, 50, "#0200fd")),
    ),
    "a pattern that begins with the shape": (
        '<pattern id="p" width=".5" height=".5"><rect width="15" height="15" fill="red"/></pattern>'
        f'{_SQUARE} fill="url(#p)"/>',
        ((27, 27, RED), (57, 57, RED), (42, 42, WHITE)),
    ),
    "markers in the colour of the line": (
        '<marker id="m" viewBox="0 0 4 4" refX="2" refY="2"><circle cx="2" cy="2" r="2" fill="context-stroke"/>'
        '</marker><path d="M10 50H80" stroke="red" stroke-width="6" marker-end="url(#m)"/>',
        ((80, 43, RED),),
    ),
    "a shape for readers of German": (
        f'{_SQUARE} systemLanguage="de"/><circle cx="50" cy="50" r="10" fill="red"/>',
        ((50, 50, RED), (25, 25, WHITE)),
    ),
    "transforms by percent and by lengths": (
        '<g fill="red"><rect x="10" y="10" width="20" height="20" style="transform:translate(50%,20%)"/></g>'
        '<rect x="10" y="40" width="20" height="20" fill="lime" '
        'style="transform:translateY(100%) translateX(50%);transform-box:fill-box"/>'
        '<rect x="50" y="70" width="20" height="10" fill="blue" style="transform:translate(1em,0) scale(50%,110%)"/>',
        ((61, 31, RED), (79, 49, RED), (21, 61, GREEN), (39, 79, GREEN), (31, 45, WHITE), (42, 78, BLUE)),
    ),
    "about the corner of a shape": (
        '<rect x="40" y="40" width="30" height="20" fill="red" '
        'style="transform:rotate(90deg);transform-box:fill-box"/>',
        ((21, 41, RED), (39, 69, RED), (41, 41, WHITE)),
    ),
    "a mask named as a picture": (
        f'<mask id="m"><rect width="50" height="100" fill="#fff"/></mask>{_SQUARE} fill="red" '
        'style="mask-image:url(#m)"/>',
        ((30, 50, RED), (70, 50, WHITE)),
    ),
    "a style that takes back an attribute": (
        f'<g fill="lime">{_SQUARE} fill="red" style="fill:revert"/></g>',
        ((50, 50, GREEN),),
    ),
    "a mask of a gradient, with a warning": (
        f'{_SQUARE} fill="red" style="mask-image:linear-gradient(black,transparent)"/>',
        ((50, 50, RED),),
    ),
    "about the box of a stroke, with a warning": (
        f'{_SQUARE} fill="red" style="transform:rotate(90deg);transform-box:stroke-box;transform-origin:center"/>',
        ((50, 50, RED),),
    ),
    "an animated style, with a warning": (f'{_SQUARE} fill="red" style="animation:k 1s"/>', ((50, 50, RED),)),
    "a sum, with a warning": (f'<g style="stroke-width:calc(1px + 2px)">{_SQUARE} fill="red"/></g>', ((50, 50, RED),)),
    "a focus out of the circle, with a warning": (
        f'<radialGradient id="g" fx="1.2">{_RAMP}</radialGradient>{_SQUARE} fill="url(#g)"/>',
        ((22, 22, BLUE),),
    ),
    "colours mixed as light, with a warning": (
        f'<linearGradient id="g" color-interpolation="linearRGB">{_RAMP}</linearGradient>{_SQUARE} fill="url(#g)"/>',
        ((20.5, 50, "#fd0002"),),
    ),
    "text, with a warning": (f'{_SQUARE} fill="red"/><text y="10">a</text>', ((50, 50, RED),)),
    "filter, with a warning": (
        f'<filter id="f"><feGaussianBlur stdDeviation="1"/></filter>{_SQUARE} fill="red" filter="url(#f)"/>',
        ((50, 50, RED),),
    ),
}
_ENTITY = '<!DOCTYPE svg [<!ENTITY ns "http://www.w3.org/2000/svg"><!ENTITY blue "fill:#00f">]>'


def feature_files() -> dict[str, tuple[str, tuple[Probe, ...]]]:
    """The text of every file and its probes by name."""
    head = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 100 100">'
    files = {name: (f"{head}{body}</svg>", probes) for name, (body, probes) in FEATURES.items()}
    body = f'<svg xmlns="&ns;" viewBox="0 0 100 100">{_SQUARE} style="&blue;"/></svg>'
    return files | {"entities of the file": (_ENTITY + body, ((50, 50, BLUE),))}
