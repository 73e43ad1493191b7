"""What the filter asks of one frame, and the forces that answer it, in compiled kernels; see ``plain_frames.py``."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from kinetune.physics.filter.com_targets import WholeBodyTarget
from kinetune.physics.filter.references import NEAR, TOUCH, Feet, Reference
from kinetune.physics.frame.frame_solve import MOST_STEPS, ORDERS, SOLVERS, STAY
from kinetune.physics.frame.plain_frames import LANDING, FilterSettings, FrameSolution, PlainFrames
from kinetune.physics.ground import ContactGround, FlatGround
from kinetune.physics.model.body_model import Body
from kinetune.rotations import Floats


class CompiledFrames(PlainFrames):
    """The frames of one filtered motion; ``rows`` and ``solving`` are the kernels of its two parts."""

    def __init__(
        self,
        body: Body,
        feet: Feet,
        ground: ContactGround,
        settings: FilterSettings,
        rate: float,
        rows: Any,
        solving: Any,
    ) -> None:
        super().__init__(body, feet, ground, settings, rate)
        self._rows, self._solving = rows, solving
        model, dynamics = body.model, self.dynamics
        data = dynamics.data
        # Views of what MuJoCo computes in place, and of its tree.
        self._places, self._axes, self._cdof, self._cvel = data.xpos, data.xmat, data.cdof, data.cvel
        self._root, self._root_axes, self._com = dynamics.root_place, dynamics.root_axes, dynamics.com
        self._C6 = dynamics.C[:6]
        self._parents, self._owners = (np.array(x, dtype=np.intp) for x in (model.dof_parentid, model.dof_bodyid))
        self._lasts = np.array(model.body_dofadr + model.body_dofnum - 1, dtype=np.intp)
        self._lasts[0] = -1
        self._heels = np.array([part == "heel" for part in feet.parts], dtype=bool)
        self._likely = np.zeros((len(body.points), settings.sides), dtype=bool)
        self._inner = np.full(len(body.points), -1, dtype=np.intp)
        for foot, (own, inner) in enumerate(self.insides):
            self._inner[own], self._inner[inner] = 2 * foot + 1, 2 * foot
        self._under = ground.height(np.zeros((len(body.points), 3))) if isinstance(ground, FlatGround) else None
        self._how = SOLVERS[self.solver], ORDERS[settings.order], MOST_STEPS[self.solver]
        gains = settings.gains
        self._gains = rows.Grip(
            *gains.foot,
            gains.foot_weight,
            gains.foot_weight * gains.heel_share,
            *gains.swing,
            gains.swing_weight,
            *gains.landing,
            gains.landing_weight,
            LANDING,
            self.fade,
            gains.ramp_s * rate,
            *gains.com,
            gains.com_weight,
            gains.momentum,
            gains.momentum_weight,
            gains.pivot_weight,
        )

    def solve(self, reference: Reference, t: int, aim: WholeBodyTarget | None, q: Floats, v: Floats) -> FrameSolution:
        """The frame ``t`` of a motion, from the state (q, v) of :attr:`dynamics`."""
        kernels, dynamics, keys = self._rows, self.dynamics, self.keys
        mujoco.mj_differentiatePos(self.body.model, self.error, 1.0, q, reference.Q[t])
        toes = kernels.place_points(self._places, self._axes, self.bodies, self.feet.offsets)
        rows = 0
        if self.settings.mode != "joint":
            rows = kernels.hold_feet(
                t,
                reference.stance,
                reference.clearance,
                reference.toes,
                reference.toes_V,
                reference.toes_A,
                self.bodies,
                self._heels,
                self._parents,
                self._owners,
                self._lasts,
                self._com,
                self._cdof,
                self._cvel,
                v,
                self._gains,
                self.stood,
                self.age,
                self.anchor,
                toes,
                keys,
                self.target,
                self.soft,
            )
        if aim is not None:
            rows = kernels.hold_whole(
                dynamics.H,
                dynamics.C,
                self._root_axes,
                self._com,
                self._root,
                dynamics.mass,
                dynamics.gravity,
                v,
                *aim,
                self._gains,
                self.settings.whole == "com",
                keys,
                rows,
                self.target,
                self.soft,
            )
        desired = kernels.hold_pose(
            t, reference.A, reference.V, self.error, v, self.stiff, self.damp, dynamics.H, rows, keys
        )
        points = kernels.place_points(self._places, self._axes, self.carriers, self.offsets)
        under, basis = self._under, self.basis
        if under is None:
            under, basis = self.ground.height(points), self.pyramids(self.ground.normal(points))
        down, B, guess = kernels.press(
            t,
            reference.stance,
            self.feet.owner,
            self._inner,
            points,
            under,
            basis,
            self._likely,
            NEAR,
            TOUCH,
            self._root,
            self._root_axes,
        )
        a, f, _ = self._solving.solve_frame(
            keys, rows, self._C6, desired, self.target, self.soft, self.loose, B, STAY, *self._how, guess
        )
        forces, needed = kernels.load_up(
            a,
            f,
            down,
            points,
            self.carriers,
            basis,
            dynamics.H,
            dynamics.C,
            self._com,
            self._cdof,
            self._parents,
            self._lasts,
            self._likely,
        )
        return FrameSolution(a, forces, needed, toes)
