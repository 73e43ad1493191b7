# ruff: noqa: E501, the lines of the page are long
"""The questions of the cookbook: each with its command, Python, the path through the studio and what to measure.

``docs/pictures/cookbook.py`` runs them, in this order and in one folder, and writes the page.
"""

from __future__ import annotations

from dataclasses import dataclass

SLIDE, JERK, SUNK = "foot_slide_mm", "jerk", "penetration_mm"


@dataclass(frozen=True)
class Answer:
    """One question.

    title : what people ask.
    text : the answer, before the command.
    command : lines of the command line; the first file read is measured before, the first one written after.
    python : the same in Python; runs with ``kt`` and ``clip``, the file that the command reads.
    studio : where it is in the studio.
    measured : measures to compare, by name.
    shown : Python expressions over ``before`` and ``after`` with what they mean, for what no measure says.
    more : the page that goes further.
    picture : a picture that the documents have already.
    captured : command and Python for captured clips, where they are not the same; None where there is nothing to capture.
    drawn : otherwise a picture to draw, a Python expression over the names of :data:`shown` and those that the script
        draws with; the motion after the edit over the motion before it, unless another is given.
    """

    title: str
    text: str
    command: str
    python: str
    studio: str
    measured: tuple[str, ...] = ()
    shown: tuple[tuple[str, str], ...] = ()
    more: str = ""
    picture: str = ""
    captured: tuple[str, str] | None = ("", "")
    drawn: str = "draw_strip(after, before=before, poses=8)"


GROUPS: dict[str, tuple[Answer, ...]] = {
    "Feet and floor": (
        Answer(
            "How do I stop feet from sliding?",
            "Plant them: each foot that stands stays exactly where it stands, and legs and pelvis follow smoothly.",
            "kinetune plant-feet skating.bvh -o planted.bvh",
            "planted = kt.PlantFeet()(clip)",
            "Add operation, Plant feet",
            (SLIDE, JERK),
            more="operations/plant_feet.md",
            picture="operation_plant_feet.png",
        ),
        Answer(
            "My edit made the feet slide. Can I keep them planted while I edit?",
            "Edits keep standing feet in place by default (`keep_feet`). After steps that do not, add `--plant-feet`: the "
            "feet then stand when and where they stood before the edit.",
            "kinetune equalize walk.bvh -o larger.bvh --preset exaggerate",
            'larger = kt.Equalize(preset="exaggerate")(clip)',
            "Every operation that can move feet has the switch Keep feet planted",
            (SLIDE,),
            more="operations/equalize.md",
        ),
        Answer(
            "The feet sink into the floor. How do I lift them out?",
            "Lift only what is below the floor, and ease it in and out.",
            "kinetune keep-above-floor sunk.bvh -o clear.bvh --floor-m 0",
            "clear = kt.KeepAboveFloor(floor_m=0)(clip)",
            "Add operation, Keep above floor",
            (),
            (("max(0.0, -1000 * float(before.positions()[..., 1].min()))", "lowest joint below Y = 0, mm"),),
            more="operations/keep_above_floor.md",
            drawn="draw_curves(after, ('left foot',), before=before, quantity='height')",
        ),
        Answer(
            "The whole character floats or is buried. How do I put it on the floor?",
            "Move the clip so that its feet stand at height zero.",
            "kinetune move floating.bvh -o grounded.bvh --floor zero",
            'grounded = kt.Move(floor="zero")(clip)',
            "Add operation, Move, Floor: zero",
            (),
            (("1000 * float(before.positions()[..., 1].min())", "lowest joint above Y = 0, mm"),),
            more="operations/move.md",
        ),
        Answer(
            "When does each foot touch the floor?",
            "Contacts are detected from the motion of the soles; `measure` counts them, and Python gives them frame by frame.",
            "kinetune measure walk.bvh",
            "from kinetune.body.feet.contacts import find_contacts\n\ncontacts = find_contacts(clip)  # contacts.flags: (frames, feet)",
            "The timeline shows a bar for each contact of each foot",
            (),
            (("kt.measure(before)['contacts']['left']", "contacts of the left foot"),),
            more="measures.md",
            picture="contacts.png",
        ),
    ),
    "Noise and broken frames": (
        Answer(
            "The capture jitters. How do I remove the noise without losing the snap?",
            "`denoise` estimates the noise of every joint and removes that much and no more; there is nothing to set.",
            "kinetune denoise jittery.bvh -o steady.bvh",
            "steady = kt.Denoise()(clip)",
            "Add operation, Denoise",
            (JERK, SLIDE),
            more="operations/denoise.md",
            picture="operation_denoise.png",
        ),
        Answer(
            "I want a plain low-pass filter. Which cutoff?",
            "6 to 8 Hz for walking and gestures, 10 to 12 Hz for kicks, throws and drumming. The filter adds no delay.",
            "kinetune smooth jittery.bvh -o smooth.bvh --cutoff-hz 8",
            "smooth = kt.Smooth(cutoff_hz=8)(clip)",
            "Add operation, Smooth",
            (JERK,),
            more="operations/smooth.md",
            drawn="draw_curves(after, ('right hand',), before=before, quantity='speed')",
        ),
        Answer(
            "Single frames jump to another pose. How do I get rid of the spikes?",
            "Outliers are recognised as such and interpolated, not smeared as a filter would.",
            "kinetune clean spiky.bvh -o despiked.bvh",
            "despiked = kt.Clean()(clip)",
            "Add operation, Clean",
            (JERK,),
            more="cleaning.md",
            picture="cleaning.png",
        ),
        Answer(
            "Joints flip by 180 degrees between frames. Why, and how do I stop it?",
            "Euler angles jump where rotations do not: a turn past 180 degrees is written as -180. Kinetune edits quaternions, "
            "and writes Euler angles that follow each other without a jump. Only numbers of a BVH file that nothing has changed "
            "are written back as they are; going through `.npz` writes them anew. True flips in a capture are listed by `doctor` "
            "and repaired by `clean`.",
            "kinetune convert flipping.bvh rotations.npz\nkinetune convert rotations.npz continuous.bvh",
            'kt.write(clip, "rotations.npz")\nkt.write(kt.read("rotations.npz"), "continuous.bvh")',
            "Open the file, Export as glTF or FBX; the quality strip counts true flips",
            (),
            (
                ("largest_jump('flipping.bvh')", "largest jump of an Euler angle before, degrees a frame"),
                ("largest_jump('continuous.bvh')", "largest jump of an Euler angle after, degrees a frame"),
            ),
            more="formats/bvh.md",
            drawn="draw_angles('flipping.bvh', 'continuous.bvh')",
        ),
        Answer(
            "Motion from a video or a generative model looks rough. What is the quickest repair?",
            "`clean` measures first and repairs only what needs it: noise, spikes, floor, limits and feet, in that order. "
            "`--dry-run` shows the plan.",
            "kinetune clean jittery.bvh --dry-run\nkinetune clean jittery.bvh -o usable.bvh --save-recipe usable.yaml",
            "usable = kt.Clean()(clip)",
            "Check-up in the top bar proposes the same steps",
            (SLIDE, JERK, SUNK),
            more="cleaning.md",
            drawn="draw_curves(after, ('right hand',), before=before, quantity='speed')",
        ),
        Answer(
            "Joints bend farther than a body can. How do I limit them?",
            "Anatomical limits for every joint that is recognised; `--scale 0.8` makes them tighter.",
            "kinetune limit wild.bvh -o tame.bvh",
            "tame = kt.Limit()(clip)",
            "Add operation, Limit",
            (),
            (
                (
                    "float(np.degrees(np.abs(kt.rotations.log(before.joint('head').rotations)).max()))",
                    "largest rotation of the head, degrees",
                ),
            ),
            more="operations/limit.md",
            drawn="draw_curves(after, ('head',), before=before)",
        ),
    ),
    "Time": (
        Answer(
            "How do I make a clip loop?",
            "It finds the best cycle and closes the seam in pose and velocity.",
            "kinetune loop walk.bvh -o cycle.bvh",
            "cycle = kt.Loop()(clip)",
            "Add operation, Loop",
            ("seam.pose_mm", "seam.velocity_mm_s", "seam.angle_deg"),
            more="operations/loop.md",
            picture="operation_loop.png",
        ),
        Answer(
            "How do I change the frame rate without aliasing?",
            "Skipping frames folds fast motion into slow wobble; `resample` filters first.",
            "kinetune resample walk.bvh -o game.bvh --fps 30",
            "game = kt.Resample(fps=30)(clip)",
            "Add operation, Resample",
            (),
            (("before.fps", "frames per second"), ("before.duration", "duration, s")),
            more="operations/resample.md",
            drawn="draw_curves(after, ('left foot',), before=before, quantity='height')",
        ),
        Answer(
            "How do I slow a clip down or speed it up?",
            "`retime` changes the duration and keeps the frame rate; keys of time make it uneven.",
            "kinetune retime kick.bvh -o slow.bvh --speed 0.5",
            "slow = kt.Retime(speed=0.5)(clip)",
            "Add operation, Retime",
            (),
            (("before.duration", "duration, s"),),
            more="operations/retime.md",
            drawn="draw_curves(after, ('right foot',), before=before, quantity='height')",
        ),
        Answer(
            "There is a T-pose at the start. How do I cut it off?",
            "It is recognised by its shape and dropped.",
            "kinetune trim t-pose.bvh -o cut.bvh --drop-t-pose",
            "cut = kt.Trim(drop_t_pose=True)(clip)",
            "Add operation, Trim, Drop T-pose",
            (),
            (("len(before)", "frames"),),
            more="operations/trim.md",
            drawn="draw_strip(before, poses=12)",
        ),
        Answer(
            "Two clips have different timing. How do I line them up?",
            "A time warp finds which moments correspond; the first clip then plays at the timing of the second.",
            "kinetune align sad.bvh happy.bvh -o in-time.bvh",
            'in_time = kt.Align(to="happy")(clip, happy=kt.read("happy.bvh"))',
            "Add operation, Align; the warp matrix shows the path",
            (),
            (("before.duration", "duration, s"),),
            more="operations/align.md",
            picture="align.png",
        ),
    ),
    "Combining clips": (
        Answer(
            "How do I blend two clips?",
            "Clips are aligned in time, heading and position before they are mixed; without that the steps cancel out.",
            "kinetune blend sad.bvh happy.bvh -o content.bvh --weight 0.5",
            'content = kt.Blend(other="happy", weight=0.5)(clip, happy=kt.read("happy.bvh"))',
            "Add operation, Blend, choose the second clip",
            (SLIDE,),
            more="operations/blend.md",
            picture="blend.png",
        ),
        Answer(
            "How do I join two clips so that one flows into the other?",
            "`splice` searches for the best moment and blends over it, feet planted.",
            "kinetune splice kick.bvh kick-2.bvh -o double.bvh",
            'double = kt.splice(clip, kt.read("kick-2.bvh"))',
            "Add operation, Splice",
            (SLIDE,),
            (("before.duration", "duration, s"),),
            more="operations/splice.md",
            picture="operation_splice.png",
        ),
        Answer(
            "How do I put clips one after another on a timeline?",
            "With trims and fades, as in a film editor.",
            "kinetune arrange walk.bvh run.bvh -o both.bvh --fade-s 0.5",
            'both = kt.Arrange(clips=["run"], fade_s=0.5)(clip, run=kt.read("run.bvh"))',
            "Drag clips onto the tracks of the timeline",
            (SLIDE,),
            (("before.duration", "duration, s"),),
            more="operations/arrange.md",
        ),
        Answer(
            "How do I take the upper body of one clip and the legs of another?",
            "Blend only some joints, with full weight.",
            "kinetune blend walk.bvh wave.bvh -o waving-walk.bvh --weight 1 --joints arms",
            'waving = kt.Blend(other="wave", weight=1, joints="arms")(clip, wave=kt.read("wave.bvh"))',
            "Add operation, Blend, select the joints on the body map",
            (SLIDE,),
            (
                (
                    "1000 * float(np.ptp(before.joint('right hand').positions[:, 1]))",
                    "height range of the right hand, mm",
                ),
            ),
            more="operations/blend.md",
        ),
    ),
    "Style": (
        Answer(
            "How do I exaggerate a motion?",
            "Turn up the bands that carry the strides, as with the faders of a mixing console.",
            "kinetune equalize walk.bvh -o larger.bvh --preset exaggerate --amount 1.5",
            'larger = kt.Equalize(preset="exaggerate", amount=1.5)(clip)',
            "Add operation, Equalize, Livelier",
            (SLIDE,),
            (
                (
                    "1000 * float(np.ptp(before.joint('right hand').positions[:, 1]))",
                    "height range of the right hand, mm",
                ),
            ),
            more="operations/equalize.md",
            picture="equalize.png",
        ),
        Answer(
            "How do I calm a motion down?",
            "The preset turns the fast bands down.",
            "kinetune equalize drumming.bvh -o calm.bvh --preset subdued",
            'calm = kt.Equalize(preset="subdued")(clip)',
            "Add operation, Equalize, Calm",
            (JERK,),
            more="operations/equalize.md",
            drawn="draw_curves(after, ('right hand',), before=before, quantity='height')",
        ),
        Answer(
            "How do I make it move like a robot?",
            "Quantize the angles: they hold still, then jump to the next step.",
            'kinetune shape wave.bvh -o robotic.bvh --curve "quantize(5)" --joints "right arm"',
            'robotic = kt.Shape(curve="quantize(5)", joints="right arm")(clip)',
            "Add operation, Shape",
            (JERK,),
            more="operations/shape.md",
            drawn="draw_curves(after, ('right lower arm',), before=before)",
        ),
        Answer(
            "How do I mirror a clip?",
            "Left and right are exchanged, also on rigs whose bones are oriented differently on both sides.",
            "kinetune mirror kick.bvh -o left-kick.bvh",
            "left_kick = kt.Mirror()(clip)",
            "Add operation, Mirror",
            (),
            (
                ("float(before.joint('right foot').positions[:, 1].max())", "right foot, highest, m"),
                ("float(before.joint('left foot').positions[:, 1].max())", "left foot, highest, m"),
            ),
            more="operations/mirror.md",
            drawn="draw_strip(after, before=before, poses=8, views=('front',))",
        ),
        Answer(
            "How do I change a pose at one moment and keep the rest?",
            "A key moves the hand; the change fades in and out around it, and the arm follows by inverse kinematics.",
            "kinetune displace knock.bvh -o higher.bvh --keys '[{time_s: 1.1, joint: right hand, move: [0, 0.2, 0]}]'",
            'key = {"time_s": 1.1, "joint": "right hand", "move": [0, 0.2, 0]}\nhigher = kt.Displace(keys=[key])(clip)',
            "Stop at the frame, click the hand, press G and drag",
            (),
            (("1000 * float(before.joint('right hand').positions[66, 1])", "height of the hand at 1.1 s, mm"),),
            more="operations/displace.md",
            picture="displace.png",
        ),
    ),
    "Targets and paths": (
        Answer(
            "How do I make a hand touch an exact point?",
            "Blend example reaches so that the hand ends exactly there; the embedded reaches serve if you have none.",
            "kinetune reach --joint RightHand --at=-0.25,1.3,0.42 -o reach.bvh",
            'blend = kt.InverseBlend([kt.sample(f"reach-{k:02}") for k in range(1, 17)])\n'
            'reach = blend.solve([kt.AtPoint("RightHand", (-0.25, 1.3, 0.42))])\nreach.errors  # millimetres',
            "Press T, choose the examples, drag the target",
            (),
            (("float(reach.errors[0])", "miss, mm"),),
            more="reaching.md",
            captured=(
                "kinetune reach --examples 'grabs/*.amc' --joint 'right hand' --at 0.05,1.3,1.5 -o reach.bvh",
                "blend = kt.InverseBlend([kt.read(file) for file in sorted(Path('grabs').glob('*.amc'))], align=True)\n"
                "reach = blend.solve([kt.AtPoint('right hand', (0.05, 1.3, 1.5))])",
            ),
            picture="start_hit_target_reach.png",
        ),
        Answer(
            "How do I make a character walk along a path?",
            "Steps are planned along the path and blended from example steps.",
            "kinetune walk --path circle:r=2 -o circle.bvh",
            'walk = kt.walk(kt.walking.plan_footsteps("circle:r=2"))',
            "Add operation, Follow footsteps, Circle",
            (),
            (("kt.measure(after)['foot_slide_mm']", "foot slide, mm"),),
            more="walking.md",
            captured=(
                "kinetune follow-footsteps steps-of.bvh --path straight --steps clip -o straight.bvh",
                'kt.FollowFootsteps(path="straight", steps="clip")(clip)',
            ),
            picture="walk.png",
        ),
        Answer(
            "How do I put every foot on an exact footstep?",
            "List the footsteps; the report says how far each foot lands from its own.",
            "kinetune walk --footsteps steps.csv -o steps.bvh",
            'steps = [kt.Footstep("left", x=0.1, z=0.6), kt.Footstep("right", x=-0.08, z=1.05, heading_deg=-3)]\nwalk = kt.walk(steps)\n'
            "[step.error_mm for step in walk.report.steps]",
            "Add operation, Follow footsteps, click on the floor",
            (),
            (("kt.measure(after)['foot_slide_mm']", "foot slide, mm"),),
            more="walking.md",
            captured=(
                "kinetune follow-footsteps steps-of.bvh --footsteps steps.csv --steps clip -o steps.bvh",
                "walked = after",
            ),
            drawn="draw_walk(after, steps)",
        ),
        Answer(
            "How do I remove root motion, or extract it for a game engine?",
            "`in-place` keeps the character on the spot; Python also gives the path that was removed.",
            "kinetune in-place walk.bvh -o on-the-spot.bvh",
            "from kinetune.body.root_motion import remove_root_motion, root_motion\n\n"
            "path = root_motion(clip)  # path.positions (frames, 2), path.headings (frames,)\nstill = remove_root_motion(clip)",
            "Add operation, In place",
            (),
            (("float(np.linalg.norm(before.root[-1, [0, 2]] - before.root[0, [0, 2]]))", "distance travelled, m"),),
            more="operations/in_place.md",
            drawn="draw_strip(after, before=before, poses=8, views=('top',))",
        ),
        Answer(
            "How do I turn a motion, or start it at the origin?",
            "Turn the whole scene about the vertical, or move its start.",
            "kinetune turn walk.bvh -o east.bvh --angle-deg 90\nkinetune move east.bvh -o start.bvh --to-origin",
            "east = kt.Turn(angle_deg=90)(clip)\nstart = kt.Move(to_origin=True)(east)",
            "Add operation, Turn or Move",
            (),
            (("float(before.root[-1, 0] - before.root[0, 0])", "travel along X, m"),),
            more="operations/turn.md",
            drawn="draw_strip(after, before=before, poses=8, views=('top',))",
        ),
    ),
    "Physics": (
        Answer(
            "Is this motion physically plausible?",
            "The report card names friction, balance, flight and torques, and the frames that fail.",
            "kinetune physics kick.bvh",
            "card = kt.physics_report(clip)\ncard.verdict",
            "Add operation, Filter dynamics shows forces and failures",
            (),
            (("card.verdict", "verdict"), ("float(np.nanmax(card.friction))", "friction needed at most")),
            more="verdict.md",
            picture="physics_report.png",
        ),
        Answer(
            "How do I make a motion physically plausible?",
            "The motion is corrected over the whole clip until a body could perform it; if none can be found, nothing is "
            "written and the command says why.",
            "kinetune filter-dynamics kick.bvh -o possible.bvh",
            "possible = kt.filter_dynamics(clip).clip",
            "Add operation, Filter dynamics, Run",
            (),
            (("float(np.nanmax(kt.physics_report(before).friction))", "friction needed at most"),),
            more="physics.md",
            picture="filter_dynamics.png",
        ),
    ),
    "Characters and files": (
        Answer(
            "How do I put a motion on my character?",
            "Other bones, proportions, names and rest poses are handled; footprints are kept. The result is a file of your "
            "character, skin included, if you write its format.",
            "kinetune retarget walk.bvh --to child.bvh -o child-walk.bvh",
            'child_walk = kt.Retarget(to="child.bvh")(clip)',
            "Add operation, Retarget, choose the character",
            (SLIDE, SUNK),
            more="operations/retarget.md",
            picture="operation_retarget.png",
        ),
        Answer(
            "How do I put a motion on a robot?",
            "A robot is any MJCF or URDF file. The result keeps to joint ranges and speeds and is written as `qpos`.",
            "kinetune retarget walk.bvh --to robot.xml -o walk.qpos.npz",
            'qpos = kt.Retarget(to="robot.xml")(clip)\nkt.write(qpos, "walk.qpos.csv")',
            "Add operation, Retarget, choose the model",
            (SLIDE,),
            (("len(before.skeleton)", "joints"),),
            more="robots.md",
            picture="retarget_robot.webp",
        ),
        Answer(
            "How do I convert AMASS or SMPL .npz to FBX?",
            "Name the output; add `--skeleton body_model.npz` for the proportions of a body model.",
            "kinetune convert poses.npz poses.fbx\nkinetune convert poses.npz poses.bvh",
            'kt.write(kt.read("poses.npz"), "poses.fbx")',
            "Open the file, Export",
            (),
            (
                (
                    "1000 * max(float(np.abs(after.joint(name).positions - before.joint(name).positions).max()) "
                    "for name in before.skeleton.names)",
                    "largest difference of any joint, mm",
                ),
            ),
            more="formats/amass.md",
            captured=None,
            drawn="draw_strip(after, poses=8, views=('front',))",
        ),
        Answer(
            "How do I convert BVH to glTF, FBX or USD?",
            "The suffix decides; unit and up axis follow the format.",
            "kinetune convert walk.bvh walk.glb\nkinetune convert walk.bvh walk.fbx",
            'kt.write(clip, "walk.glb")',
            "Export in the top bar",
            (),
            (
                (
                    "1000 * float(np.abs(kt.read('walk.glb').positions() - kt.read('walk.bvh').positions()).max())",
                    "largest difference of any joint, mm",
                ),
            ),
            more="formats/all_formats.md",
        ),
        Answer(
            "The character is a hundred times too large, or lies on its side. What now?",
            "Unit and up axis were guessed wrong: `doctor` shows each guess with the flag that overrides it.",
            "kinetune doctor zup.bvh\nkinetune convert zup.bvh yup.bvh --up z --unit cm",
            'upright = kt.read("zup.bvh", up="z", unit="cm")',
            "Open, How the file is read",
            (),
            (("float(after.positions()[0, :, 1].max())", "height of the head, m"),),
            more="conventions.md",
            drawn="draw_strip(after, before=kt.read('zup.bvh', up='y', unit='cm'), poses=8)",
        ),
        Answer(
            "How do I get positions of joints as an array or a table?",
            "World positions in metres, one row a frame.",
            "kinetune convert walk.bvh walk.csv",
            "positions = clip.positions()  # (frames, joints, 3)",
            "Export, CSV",
            (),
            (("before.positions().shape", "shape of the array"),),
            more="formats/csv_positions.md",
            drawn="draw_curves(clip, ('left foot', 'right foot'), quantity='height')",
        ),
        Answer(
            "How do I get fewer keys, to edit by hand?",
            "Keys are fitted within a tolerance that you choose, in millimetres at every joint.",
            "kinetune reduce-keys kick.bvh -o keyed.glb --tolerance-mm 5 --keys shared",
            'keyed = kt.ReduceKeys(tolerance_mm=5, keys="shared")(clip)',
            "Add operation, Reduce keys",
            (),
            (
                (
                    "1000 * float(np.abs(after.positions() - before.positions()).max())",
                    "largest difference of any joint, mm",
                ),
            ),
            more="operations/reduce_keys.md",
            drawn="draw_curves(after, ('right foot',), before=before, quantity='height')",
        ),
    ),
    "Libraries": (
        Answer(
            "How do I run the same edit over thousands of clips?",
            "Any operation takes a folder; a recipe takes several steps. A stopped run goes on with `--resume`.",
            "kinetune smooth 'clips/*.bvh' -o smoothed --cutoff-hz 8\nkinetune batch recipe.yaml 'clips/*.bvh' -o edited",
            "from kinetune.batch.library import edit_library\n\n"
            'edit_library(kt.Recipe.read("recipe.yaml"), ["clips/*.bvh"], "edited-again")',
            "Save the stack as a recipe and run it with `kinetune batch`",
            (),
            (
                ("len(list(Path('edited').glob('*.bvh')))", "clips edited"),
                ("kt.measure(kt.read('clips/walk-happy.bvh'))['jerk']", "jerk of walk-happy before"),
                ("kt.measure(kt.read('edited/walk-happy.bvh'))['jerk']", "jerk of walk-happy after"),
            ),
            more="batch.md",
            drawn="draw_strip(kt.read('edited/walk-happy.bvh'), before=kt.read('clips/walk-happy.bvh'), poses=8)",
        ),
        Answer(
            "How do I check the quality of a dataset, or in continuous integration?",
            "`measure --csv` is for spreadsheets; `doctor --ci` fails a pipeline.",
            "kinetune measure 'clips/*.bvh' --csv quality.csv\nkinetune doctor clips --html report.html",
            'kt.measure(clip)["foot_slide_mm"]',
            "The quality strip below the view",
            (),
            (
                ("len(Path('quality.csv').read_text().splitlines()) - 1", "clips measured"),
                (
                    "max(kt.measure(kt.read(path))['foot_slide_mm'] for path in Path('clips').glob('*.bvh'))",
                    "largest foot slide, mm",
                ),
            ),
            more="findings.md",
            drawn="draw_table('quality.csv', 'foot_slide_mm')",
        ),
        Answer(
            "How do I find a clip among thousands?",
            "Index the folder once, then search by example or by description.",
            "kinetune index clips\nkinetune find clips --text 'walk'\nkinetune find walk.bvh --in clips",
            'kt.library.build_index("clips", jobs=1)\nindex = kt.library.MotionIndex.open("clips")\n'
            'walks = kt.library.find_text(index, "walk")\nmatches = kt.library.find_like(index, clip)',
            "Search in the clip browser",
            (),
            (
                ("len(index.clips)", "clips in the folder"),
                ("len(walks)", "of them walks"),
                ("matches[1].name", "most like the walk, after itself"),
                ("matches[1].distance_cm", "distance, cm"),
            ),
            more="library.md",
            drawn="draw_strip(kt.read(Path('clips', matches[1].name)), before=clip, poses=8)",
        ),
        Answer(
            "Which clips are duplicates?",
            "Exact copies, re-exports, retimed, mirrored and trimmed ones.",
            "kinetune duplicates clips",
            'index = kt.library.MotionIndex.open("clips")\ncopies = kt.library.find_duplicates(index)',
            "on the command line only",
            (),
            (
                ("len(index.clips)", "clips in the folder"),
                ("len(copies)", "copies"),
                ("', '.join(copies[0].kinds)", "what kind"),
            ),
            more="library.md",
            drawn="draw_strip(kt.read('clips/wave-mirrored.bvh'), before=kt.read('clips/wave.bvh'), poses=8, views=('front',))",
        ),
        Answer(
            "How do I make training data out of clips?",
            "Batches of tensors with random edits, on the CPU or a GPU.",
            "kinetune convert walk.bvh walk.npz",
            "augment = kt.torch.Compose([kt.torch.RandomEqualize(p=1.0), kt.torch.RandomMirror(p=0.5)], seed=1)\n"
            "batch = augment(kt.torch.MotionBatch.from_clips([clip]))",
            "in Python only",
            (),
            (
                (
                    "100 * float(np.abs(batch.clips()[0].positions() - clip.positions()).max())",
                    "farthest that a joint is moved, cm",
                ),
            ),
            more="tensors.md",
            picture="augmentations.png",
        ),
    ),
    "Pictures and drawings": (
        Answer(
            "How do I make a film of a clip?",
            "A shaded body on a floor, without a screen or a graphics card; `--ghost` shows the clip before an edit.",
            "kinetune film larger.bvh -o larger.gif --ghost walk.bvh --size 320x180",
            'kt.film(clip, "walk.gif", size=(160, 90))',
            "Export, Film",
            (),
            (("Path('larger.gif').stat().st_size / 1e6", "size of the film, MB"),),
            more="films.md",
            drawn="draw_film(after or kt.read('larger.bvh'), before)",
        ),
        Answer(
            "How do I morph one icon into another?",
            "Outlines correspond by their shape, and no curve crosses itself on the way; the result is an animated SVG, Lottie, "
            "GIF or MP4.",
            "kinetune morph happy.svg sad.svg -o morph.svg\nkinetune morph happy.svg sad.svg -o morph.json",
            'film = kt.morph(kt.read_drawing("happy.svg"), kt.read_drawing("sad.svg"), frames=24)',
            "Drawings, Morph",
            (),
            (("Path('morph.json').stat().st_size // 1000", "size of the Lottie file, kB"),),
            more="morphing.md",
            picture="does_morph.png",
        ),
        Answer(
            "How do I make a drawing walk?",
            "Two key drawings, a quarter of the cycle apart, are enough.",
            "kinetune gait dog-1.svg dog-2.svg -o dog.gif --height 160",
            'cycle = kt.contours.walk_cycle(kt.sample_drawing("dog-1"), kt.sample_drawing("dog-2"), 24)',
            "Drawings, Walk",
            (),
            (("Path('dog.gif').stat().st_size // 1000", "size of the film, kB"),),
            more="morphing.md",
            captured=("kinetune gait dog-1.svg dog-2.svg -o dog.gif --height 160 --like walk.bvh", ""),
            drawn="kt.figures.strip_picture(cycle[::4])",
        ),
        Answer(
            "What was done to this file?",
            "Files that Kinetune writes carry their history where the format allows it; it can be applied again as a recipe.",
            "kinetune equalize walk.bvh -o history.npz --preset exaggerate\nkinetune info history.npz",
            'kt.read("history.npz").history',
            "The stack of operations is the history",
            (),
            (("len(after.history) - len(before.history)", "steps recorded"),),
            more="recipes.md",
            picture="equalize.png",
        ),
    ),
}
