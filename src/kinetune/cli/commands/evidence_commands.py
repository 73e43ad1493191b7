"""Commands that show what Kinetune can do: bench times it on this machine, reproduce runs the papers again."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from kinetune.cli.options import JsonOption


def bench(
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="NUMBER", min=0.01, max=60.0, help="How long to time each of them.")
    ] = 0.5,
    as_json: JsonOption = False,
) -> None:
    """Time the main jobs on this machine."""
    from kinetune.cli.show import bar, print_table
    from kinetune.kernels import loader as compiled
    from kinetune.progress import report

    with tempfile.TemporaryDirectory() as folder:
        jobs = list(_jobs(Path(folder)))
        if compiled.mode() != "never":
            compiled.warm_up()
        timings: dict[str, dict[str, Any]] = {}
        with bar():
            for number, (name, size, job) in enumerate(jobs):
                report(number / len(jobs), name)
                timings[name] = {"size": size, "median_ms": 1000.0 * _median_s(job, seconds)}
    if as_json:
        print(json.dumps(timings, indent=2))
        return
    rows = [[name, timing["size"], f"{timing['median_ms']:.3g}"] for name, timing in timings.items()]
    print_table(["job", "size", "ms"], rows, right=["ms"])


def reproduce(
    papers: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PAPER",
            help="bruderlin, kochanek-bartels, inverse-blending, wavelets, dynamic-filter; all by default.",
            show_default=False,
        ),
    ] = None,
    folder: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The folder for the report and the pictures.")
    ] = Path("reproduction"),
    clips: Annotated[
        Path | None, typer.Option("--clips", metavar="DIR", help="A folder of your clips and drawings, to run as well.")
    ] = None,
    only: Annotated[
        str | None, typer.Option("--only", metavar="LABEL", help='One experiment, such as "Figure 6".')
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", metavar="", help="Fewer repetitions.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Reproduce every experiment, figure and table of the five papers, and compare the results with the papers."""
    from kinetune.cli.show import bar, print_table
    from kinetune.reproduce import reproduce as run_all
    from kinetune.reproduce.running import summarize

    with bar():
        done = run_all(papers or (), folder, clips=clips, only=only, quick=quick)
    if as_json:
        print(json.dumps(summarize(done.ran), indent=1))
    else:
        rows = [
            [one.paper.name, one.experiment.label, one.experiment.title, one.result.verdict, f"{one.seconds:.1f}"]
            for one in done.ran
        ]
        print_table(["paper", "label", "what it shows", "verdict", "s"], rows, right=["s"])
        print(f"{done.report}: the report, with pictures and reasons.")
    if done.failed:
        raise typer.Exit(1)


def _jobs(folder: Path) -> Iterator[tuple[str, str, Callable[[], object]]]:
    """Each job: its name, how much it does, and what to call."""
    from kinetune.body.feet.planting import plant
    from kinetune.contours.morphing.morph import morph
    from kinetune.formats import read, write
    from kinetune.inverse.blend.constraints import AtPoint
    from kinetune.inverse.blend.inverse_blend import InverseBlend
    from kinetune.operations import find_operation
    from kinetune.samples import sample, samples
    from kinetune.samples.drawings import sample_drawing

    walk, sad = sample("walk"), sample("walk-sad")
    long = _repeated(walk, 3000)
    path = write(long, folder / "long.bvh")
    size = f"{len(long)} frames, {len(long.skeleton)} joints"
    yield "read BVH", size, lambda: read(path)
    yield "write BVH", size, lambda: write(long, folder / "again.bvh")
    yield "forward kinematics", size, lambda: long.replace(history=()).positions()
    equalize = find_operation("equalize")(preset="exaggerate")
    yield "equalize", size, lambda: equalize(long)
    blend = find_operation("blend")(other="sad", weight=0.5)
    yield "plant feet", f"{len(walk)} frames", lambda: plant(walk)
    yield "align and blend", f"{len(walk)} and {len(sad)} frames", lambda: blend(walk, sad=sad)
    examples = [sample(name) for name in samples() if name.startswith("reach-")]
    reaches = InverseBlend(examples)
    target = AtPoint("right hand", tuple(examples[0].positions()[-1, walk.skeleton.index("right hand")]))
    yield "inverse blend", f"{len(examples)} examples, weights", lambda: reaches.solve([target])
    happy, gloomy = (sample_drawing(name) for name in ("face-happy", "face-sad"))
    yield "morph", "24 frames of a face", lambda: morph(happy, gloomy, frames=24)


def _repeated(clip: Any, frames: int) -> Any:
    """A clip played over and over, up to some frames."""
    import numpy as np

    order = np.arange(frames) % len(clip)
    return clip.replace(root=clip.root[order], rotations=clip.rotations[order], contacts=None, markers=())


def _median_s(job: Callable[[], object], seconds: float) -> float:
    job()
    times: list[float] = []
    begun = time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begun < seconds:
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return statistics.median(times)
