"""The pictures of the equalizer's page: a walk turned up and down, and the bands of its knee."""

from pathlib import Path

import kinetune as kt
from kinetune import figures
from kinetune.operations.equalize import bands_of
from kinetune.signals.bands.band_presets import preset_gains

HERE = Path(__file__).parent


def main() -> None:
    walk = kt.sample("walk")
    part = slice(60, 200)
    edited = kt.Equalize(preset="exaggerate")(walk)
    strip = figures.draw_strip(edited[part], before=walk[part], poses=9, title="walk, exaggerate")
    figures.save(strip, HERE / "equalize_exaggerate.png")
    knock = kt.sample("knock")
    edited = kt.Equalize(preset="anticipation", joints="arms")(knock)
    strip = figures.draw_strip(edited, before=knock, poses=12, title="knock, anticipation")
    figures.save(strip, HERE / "equalize_anticipation.png")
    gains = preset_gains("exaggerate", len(bands_of(walk)), walk.fps)
    knee = figures.channel(walk, "left lower leg")
    picture = figures.draw_bands(knee, walk.fps, gains=gains, title="the bands of a knee, exaggerated")
    figures.save(picture, HERE / "equalize.png")


if __name__ == "__main__":
    main()
