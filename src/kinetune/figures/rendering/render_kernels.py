"""Compiled loops of the renderer: bodies as triangles, triangles as samples, samples as pixels, and the floor.

Each pixel has four samples for smooth edges, in a pattern without two on one row or column. A sample holds the triangle
that is nearest to the eye there; colours are computed once for all samples of a pixel that see the same surface.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from kinetune.kernels.loader import INNER

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

SAMPLES = 4
_SAMPLE_X = (0.125, 0.375, 0.625, 0.875)
_SAMPLE_Y = (0.625, 0.125, 0.875, 0.375)
_NEAR = 1e-3
_SAME = 0.002  # of the distance: samples as near as that see one surface
_NOWHERE = -1e30
_BIAS = 0.006  # metres between a surface and what shades it
_TONES = 4096
_WIDTH = 0.014  # of the lines of the floor, as a share of a field
_FAINT = 0.45  # lines at half metres


@njit(cache=True, nogil=True)
def skin(rest, rest_normals, bones, weights, matrices, points, normals):
    """Linear blend skinning with matrices (bones, 3, 4)."""
    m = np.empty((3, 4))
    for v in range(len(rest)):
        m[:] = 0.0
        for k in range(weights.shape[1]):
            w = weights[v, k]
            if w > 0.0:
                bone = bones[v, k]
                for i in range(3):
                    for j in range(4):
                        m[i, j] += w * matrices[bone, i, j]
        for i in range(3):
            points[v, i] = m[i, 0] * rest[v, 0] + m[i, 1] * rest[v, 1] + m[i, 2] * rest[v, 2] + m[i, 3]
            normals[v, i] = m[i, 0] * rest_normals[v, 0] + m[i, 1] * rest_normals[v, 1] + m[i, 2] * rest_normals[v, 2]


@njit(cache=True, nogil=True)
def project(points, view, screen):
    """Points on the screen: x to the right, y down, both in pixels, and 1 / depth, 0 for what is behind the eye."""
    for v in range(len(points)):
        x, y, z = points[v, 0] - view.eye[0], points[v, 1] - view.eye[1], points[v, 2] - view.eye[2]
        depth = view.ahead[0] * x + view.ahead[1] * y + view.ahead[2] * z
        if depth < _NEAR:
            screen[v, 2] = 0.0
            continue
        across = view.right[0] * x + view.right[1] * y + view.right[2] * z
        above = view.up[0] * x + view.up[1] * y + view.up[2] * z
        screen[v, 0] = view.middle_x + view.focal * across / depth
        screen[v, 1] = view.middle_y - view.focal * above / depth
        screen[v, 2] = 1.0 / depth


@njit(cache=True, nogil=True)
def rasterize(screen, triangles, one_sided, nearness, owner):
    """The nearest triangle at every sample, (height, width, 4); returns the box of pixels that it touched."""
    height, width = owner.shape[0], owner.shape[1]
    left, top, right, bottom = width, height, -1, -1
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        za, zb, zc = screen[a, 2], screen[b, 2], screen[c, 2]
        if za == 0.0 or zb == 0.0 or zc == 0.0:
            continue
        xa, ya, xb, yb, xc, yc = screen[a, 0], screen[a, 1], screen[b, 0], screen[b, 1], screen[c, 0], screen[c, 1]
        area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya)
        if area == 0.0 or (one_sided and area > 0.0):
            continue
        x0, x1 = max(0, int(np.floor(min(xa, xb, xc)))), min(width - 1, int(np.floor(max(xa, xb, xc))))
        y0, y1 = max(0, int(np.floor(min(ya, yb, yc)))), min(height - 1, int(np.floor(max(ya, yb, yc))))
        if x0 > x1 or y0 > y1:
            continue
        left, top, right, bottom = min(left, x0), min(top, y0), max(right, x1), max(bottom, y1)
        inv = 1.0 / area
        bx, by = (yc - ya) * inv, (xa - xc) * inv
        cx, cy = (ya - yb) * inv, (xb - xa) * inv
        zx, zy = bx * (zb - za) + cx * (zc - za), by * (zb - za) + cy * (zc - za)
        for y in range(y0, y1 + 1):
            for x in range(x0, x1 + 1):
                wb, wc = bx * (x - xa) + by * (y - ya), cx * (x - xa) + cy * (y - ya)
                near = za + zx * (x - xa) + zy * (y - ya)
                for s in range(SAMPLES):
                    ox, oy = _SAMPLE_X[s], _SAMPLE_Y[s]
                    sb, sc = wb + bx * ox + by * oy, wc + cx * ox + cy * oy
                    sample = near + zx * ox + zy * oy
                    if sb >= 0.0 and sc >= 0.0 and sb + sc <= 1.0 and sample > nearness[y, x, s]:
                        nearness[y, x, s] = sample
                        owner[y, x, s] = t
    return left, top, right, bottom


@njit(cache=True, nogil=True)
def clear_samples(box, nearness, owner):
    """Empty a box of samples again."""
    for y in range(box[1], box[3] + 1):
        for x in range(box[0], box[2] + 1):
            for s in range(SAMPLES):
                nearness[y, x, s] = 0.0
                owner[y, x, s] = -1


@njit(cache=True, nogil=True)
def light_depths(points, triangles, lamp, depths):
    """How far towards the light the outermost surface is, on a grid across the light."""
    size = depths.shape[0]
    depths[:] = _NOWHERE
    flat = np.empty((len(points), 3))
    for v in range(len(points)):
        x, y, z = points[v, 0] - lamp.centre[0], points[v, 1] - lamp.centre[1], points[v, 2] - lamp.centre[2]
        flat[v, 0] = 0.5 * size + (lamp.right[0] * x + lamp.right[1] * y + lamp.right[2] * z) / lamp.cell
        flat[v, 1] = 0.5 * size + (lamp.up[0] * x + lamp.up[1] * y + lamp.up[2] * z) / lamp.cell
        flat[v, 2] = lamp.towards[0] * x + lamp.towards[1] * y + lamp.towards[2] * z
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        xa, ya, xb, yb, xc, yc = flat[a, 0], flat[a, 1], flat[b, 0], flat[b, 1], flat[c, 0], flat[c, 1]
        area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya)
        if area == 0.0:
            continue
        inv = 1.0 / area
        x0, x1 = max(0, int(np.ceil(min(xa, xb, xc) - 0.5))), min(size - 1, int(np.floor(max(xa, xb, xc) - 0.5)))
        y0, y1 = max(0, int(np.ceil(min(ya, yb, yc) - 0.5))), min(size - 1, int(np.floor(max(ya, yb, yc) - 0.5)))
        for y in range(y0, y1 + 1):
            for x in range(x0, x1 + 1):
                dx, dy = x + 0.5 - xa, y + 0.5 - ya
                wb = ((yc - ya) * dx - (xc - xa) * dy) * inv
                wc = ((xb - xa) * dy - (yb - ya) * dx) * inv
                if wb >= 0.0 and wc >= 0.0 and wb + wc <= 1.0:
                    far = flat[a, 2] + wb * (flat[b, 2] - flat[a, 2]) + wc * (flat[c, 2] - flat[a, 2])
                    if far > depths[y, x]:
                        depths[y, x] = far


@njit(cache=True, nogil=True)
def floor_shadow(points, triangles, rays, weights, tops, patch, stamps, shade):
    """How much of the light of many lamps is kept from a patch of the floor, each counted once at each cell.

    ``rays`` (lamps, 2) are horizontal steps for each metre of height towards a lamp; what is higher than ``tops`` of a
    lamp keeps nothing of its light away.
    """
    size = shade.shape[0]
    shade[:] = 0.0
    stamps[:] = -1
    flat = np.empty((len(points), 2))
    rise = np.empty(len(points))
    for v in range(len(points)):
        rise[v] = max(0.0, points[v, 1] - patch.height)
    for lamp in range(len(rays)):
        top = tops[lamp]
        for v in range(len(points)):
            flat[v, 0] = (points[v, 0] - rays[lamp, 0] * rise[v] - patch.x) / patch.cell
            flat[v, 1] = (points[v, 2] - rays[lamp, 1] * rise[v] - patch.z) / patch.cell
        for t in range(len(triangles)):
            a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            if rise[a] > top:
                continue
            xa, ya, xb, yb, xc, yc = flat[a, 0], flat[a, 1], flat[b, 0], flat[b, 1], flat[c, 0], flat[c, 1]
            area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya)
            if area <= 0.0:  # one side of a closed surface is enough
                continue
            x0, x1 = max(0, int(np.ceil(min(xa, xb, xc) - 0.5))), min(size - 1, int(np.floor(max(xa, xb, xc) - 0.5)))
            y0, y1 = max(0, int(np.ceil(min(ya, yb, yc) - 0.5))), min(size - 1, int(np.floor(max(ya, yb, yc) - 0.5)))
            if x0 > x1 or y0 > y1:
                continue
            inv = 1.0 / area
            for y in range(y0, y1 + 1):
                for x in range(x0, x1 + 1):
                    if stamps[y, x] == lamp:
                        continue
                    dx, dy = x + 0.5 - xa, y + 0.5 - ya
                    wb = ((yc - ya) * dx - (xc - xa) * dy) * inv
                    wc = ((xb - xa) * dy - (yb - ya) * dx) * inv
                    if wb >= 0.0 and wc >= 0.0 and wb + wc <= 1.0:
                        stamps[y, x] = lamp
                        shade[y, x] += weights[lamp]


@njit(cache=True, nogil=True)
def soften(shade, spare):
    """A small blur, in place: the lamps are few."""
    size = shade.shape[0]
    for _ in range(2):
        for y in range(size):
            for x in range(1, size - 1):
                spare[y, x] = 0.25 * shade[y, x - 1] + 0.5 * shade[y, x] + 0.25 * shade[y, x + 1]
            spare[y, 0], spare[y, size - 1] = 0.0, 0.0
        for y in range(1, size - 1):
            for x in range(size):
                shade[y, x] = 0.25 * spare[y - 1, x] + 0.5 * spare[y, x] + 0.25 * spare[y + 1, x]
        shade[0], shade[size - 1] = 0.0, 0.0


@njit(**INNER)
def _lines(u, width, spread):
    """How much of an interval of length ``spread`` round u the lines of this width at whole numbers cover."""
    low, high = u - 0.5 * spread + 0.5 * width, u + 0.5 * spread + 0.5 * width
    below, above = np.floor(low), np.floor(high)
    return ((above - below) * width + min(high - above, width) - min(low - below, width)) / spread


@njit(**INNER)
def _inside(start, step, end, count):
    """The first and the last of ``count`` steps that lie from 0 to ``end``; the last before the first for none."""
    if abs(step) < 1e-12:
        return (0, count - 1) if 0.0 <= start <= end else (0, -1)
    low, high = -start / step, (end - start) / step
    if low > high:
        low, high = high, low
    low, high = max(low, 0.0), min(high, count - 1.0)
    return (int(np.ceil(low)), int(np.floor(high))) if low <= high else (0, -1)


@njit(**INNER)
def _clear_run(off, move, close):
    """How many steps ``move`` from ``off``, which is further than ``close`` from any line, stay so."""
    room = 1.0 - close - off if move > 0.0 else off - close
    return int(min(room / max(abs(move), 1e-9), 1e6)) + 1


@njit(cache=True, nogil=True)
def paint_floor(view, look, patch, shade, tones, image):
    """The backdrop, and the floor with its grid and the shadow on it."""
    height, width = image.shape[0], image.shape[1]
    size = shade.shape[0]
    pixel = np.empty(3)
    plain = np.empty(3, np.uint8)
    per_cell = 1.0 / patch.cell
    west, east, north, south = size, -1, size, -1  # cells in shadow
    for j in range(size):
        for i in range(size):
            if shade[j, i] > 0.0:
                west, east, north, south = min(west, i), max(east, i), min(north, j), max(south, j)
    if east < 0:
        west, east, north, south = 0, 0, 0, 0
    west, east = max(0.0, west - 1.0), min(size - 1.001, east + 1.0)
    north, south = max(0.0, north - 1.0), min(size - 1.001, south + 1.0)
    for row in range(height):
        lean = (view.middle_y - row - 0.5) / view.focal
        drop = view.ahead[1] + lean * view.up[1]  # of a ray through this row; the camera is level
        share = min(1.0, max(0.0, (drop + 0.05) / 0.6))
        for k in range(3):
            pixel[k] = look.horizon[k] + share * (look.sky[k] - look.horizon[k])
        reach = (patch.height - view.eye[1]) / drop if drop < -1e-4 else 0.0
        if reach <= 0.0 or reach > 400.0:
            for k in range(3):
                level = tones[min(_TONES - 1, int(_TONES * pixel[k]))]
                for column in range(width):
                    image[row, column, k] = level
            continue
        next_reach = (patch.height - view.eye[1]) / (drop - view.up[1] / view.focal)
        fog = min(1.0, (reach * look.haze) ** 2)
        fog = fog * fog * (3.0 - 2.0 * fog)
        step_x, step_z = reach * view.right[0] / view.focal, reach * view.right[2] / view.focal
        first = 0.5 - view.middle_x
        x = view.eye[0] + reach * (view.ahead[0] + lean * view.up[0]) + first * step_x
        z = view.eye[2] + reach * (view.ahead[2] + lean * view.up[2]) + first * step_z
        away = abs(reach - next_reach)
        spread_x = abs(step_x) + away * abs(view.ahead[0]) + 1e-9
        spread_z = abs(step_z) + away * abs(view.ahead[2]) + 1e-9
        for k in range(3):
            colour = look.floor[k] + fog * (pixel[k] - look.floor[k])
            plain[k] = tones[min(_TONES - 1, int(_TONES * colour))]
        close_x, close_z = 0.5 * (_WIDTH + 2.0 * spread_x), 0.5 * (_WIDTH + 2.0 * spread_z)
        shaded_x = _inside((x - patch.x) * per_cell - 0.5 - west, step_x * per_cell, east - west, width)
        shaded_z = _inside((z - patch.z) * per_cell - 0.5 - north, step_z * per_cell, south - north, width)
        first_shaded, last_shaded = max(shaded_x[0], shaded_z[0]), min(shaded_x[1], shaded_z[1])
        off_x, off_z = 2.0 * x - np.floor(2.0 * x), 2.0 * z - np.floor(2.0 * z)  # from the line before, in half metres
        move_x, move_z = 2.0 * step_x - np.floor(2.0 * step_x), 2.0 * step_z - np.floor(2.0 * step_z)
        column = -1
        while column + 1 < width:
            column += 1
            near_x, near_z = off_x < close_x or off_x > 1.0 - close_x, off_z < close_z or off_z > 1.0 - close_z
            shaded = first_shaded <= column <= last_shaded
            if not (shaded or near_x or near_z):
                run = min(_clear_run(off_x, 2.0 * step_x, close_x), _clear_run(off_z, 2.0 * step_z, close_z))
                run = min(run, (first_shaded if column < first_shaded <= last_shaded else width) - column)
                for place in range(column, column + run):
                    for k in range(3):
                        image[row, place, k] = plain[k]
                off_x, off_z = off_x + 2.0 * run * step_x, off_z + 2.0 * run * step_z
                off_x, off_z = off_x - np.floor(off_x), off_z - np.floor(off_z)
                column += run - 1
                continue
            off_x, off_z = off_x + move_x, off_z + move_z
            off_x, off_z = off_x - (off_x >= 1.0), off_z - (off_z >= 1.0)
            wx, wz = x + column * step_x, z + column * step_z
            dark = 0.0
            if shaded:
                cell_x, cell_z = (wx - patch.x) * per_cell - 0.5, (wz - patch.z) * per_cell - 0.5
                i, j = int(cell_x), int(cell_z)
                u, v = cell_x - i, cell_z - j
                upper = shade[j, i] + u * (shade[j, i + 1] - shade[j, i])
                lower = shade[j + 1, i] + u * (shade[j + 1, i + 1] - shade[j + 1, i])
                dark = upper + v * (lower - upper)
                if dark == 0.0 and not near_x and not near_z:
                    for k in range(3):
                        image[row, column, k] = plain[k]
                    continue
            line = 0.0
            if near_x:
                line = max(_FAINT * _lines(2.0 * wx, _WIDTH, 2.0 * spread_x), _lines(wx, _WIDTH, spread_x))
            if near_z:
                line = max(line, _FAINT * _lines(2.0 * wz, _WIDTH, 2.0 * spread_z), _lines(wz, _WIDTH, spread_z))
            for k in range(3):
                colour = (look.floor[k] + line * (look.grid[k] - look.floor[k])) * (1.0 - dark)
                colour += fog * (pixel[k] - colour)
                image[row, column, k] = tones[min(_TONES - 1, int(_TONES * colour))]


@njit(**INNER)
def _in_light(lamp, depths, x, y, z):
    """The share of the key light that reaches a point: 3 x 3 comparisons with what is outermost, blended."""
    size = depths.shape[0]
    x, y, z = x - lamp.centre[0], y - lamp.centre[1], z - lamp.centre[2]
    u = 0.5 * size + (lamp.right[0] * x + lamp.right[1] * y + lamp.right[2] * z) / lamp.cell - 0.5
    v = 0.5 * size + (lamp.up[0] * x + lamp.up[1] * y + lamp.up[2] * z) / lamp.cell - 0.5
    far = lamp.towards[0] * x + lamp.towards[1] * y + lamp.towards[2] * z + _BIAS
    i, j = int(np.floor(u)), int(np.floor(v))
    if i < 1 or j < 1 or i >= size - 2 or j >= size - 2:
        return 1.0
    fu, fv = u - i, v - j
    lit = 0.0
    for b in range(-1, 3):
        row = (1.0 - fu) * (depths[j + b, i - 1] < far) + (depths[j + b, i] < far)
        row += (depths[j + b, i + 1] < far) + fu * (depths[j + b, i + 2] < far)
        lit += row * (1.0 - fv if b == -1 else (fv if b == 2 else 1.0))
    return lit / 9.0


@njit(cache=True, nogil=True)
def paint_body(view, box, samples, mesh, textures, lamp, look, tones, opacity, image):
    """The samples of a body as pixels over the image."""
    nearness, owner = samples
    screen, points, normals, tints, uv, triangles, materials = mesh
    texels, sheets, factors, linear = textures
    depths = lamp.depths
    group = np.empty(SAMPLES, np.int64)
    colour = np.empty(3)
    albedo = np.empty(3)
    for row in range(box[1], box[3] + 1):
        for column in range(box[0], box[2] + 1):
            covered = 0
            for s in range(SAMPLES):
                group[s] = -1
                if owner[row, column, s] >= 0:
                    covered += 1
            if covered == 0:
                continue
            for k in range(3):
                colour[k] = 0.0
            seen = 0.0
            for s in range(SAMPLES):
                t = owner[row, column, s]
                if t < 0 or group[s] >= 0:
                    continue
                near = nearness[row, column, s]
                count, dx, dy = 0, 0.0, 0.0
                for other in range(s, SAMPLES):
                    unseen = owner[row, column, other] >= 0 and group[other] < 0
                    if unseen and abs(nearness[row, column, other] - near) < _SAME * near:
                        group[other] = s
                        count += 1
                        dx += _SAMPLE_X[other]
                        dy += _SAMPLE_Y[other]
                px, py = column + dx / count, row + dy / count
                a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
                xa, ya, za = screen[a, 0], screen[a, 1], screen[a, 2]
                xb, yb, zb = screen[b, 0], screen[b, 1], screen[b, 2]
                xc, yc, zc = screen[c, 0], screen[c, 1], screen[c, 2]
                inv = 1.0 / ((xb - xa) * (yc - ya) - (xc - xa) * (yb - ya))
                wb = min(1.0, max(0.0, ((yc - ya) * (px - xa) - (xc - xa) * (py - ya)) * inv))
                wc = min(1.0 - wb, max(0.0, ((xb - xa) * (py - ya) - (yb - ya) * (px - xa)) * inv))
                wa = (1.0 - wb - wc) * za
                wb, wc = wb * zb, wc * zc
                total = 1.0 / (wa + wb + wc)
                wa, wb, wc = wa * total, wb * total, wc * total
                nx = wa * normals[a, 0] + wb * normals[b, 0] + wc * normals[c, 0]
                ny = wa * normals[a, 1] + wb * normals[b, 1] + wc * normals[c, 1]
                nz = wa * normals[a, 2] + wb * normals[b, 2] + wc * normals[c, 2]
                long = np.sqrt(nx * nx + ny * ny + nz * nz)
                long = 1.0 / long if long > 1e-12 else 0.0
                nx, ny, nz = nx * long, ny * long, nz * long
                x = wa * points[a, 0] + wb * points[b, 0] + wc * points[c, 0]
                y = wa * points[a, 1] + wb * points[b, 1] + wc * points[c, 1]
                z = wa * points[a, 2] + wb * points[b, 2] + wc * points[c, 2]
                ex, ey, ez = view.eye[0] - x, view.eye[1] - y, view.eye[2] - z
                long = 1.0 / np.sqrt(ex * ex + ey * ey + ez * ez)
                ex, ey, ez = ex * long, ey * long, ez * long
                facing = nx * ex + ny * ey + nz * ez
                if facing < 0.0:  # the inside of a surface with two sides
                    nx, ny, nz, facing = -nx, -ny, -nz, -facing
                material = materials[t]
                for k in range(3):
                    albedo[k] = (wa * tints[a, k] + wb * tints[b, k] + wc * tints[c, k]) * factors[material, k]
                if sheets[material, 1] > 0:
                    sheet_w, sheet_h = sheets[material, 1], sheets[material, 2]
                    u = wa * uv[a, 0] + wb * uv[b, 0] + wc * uv[c, 0]
                    v = wa * uv[a, 1] + wb * uv[b, 1] + wc * uv[c, 1]
                    i = min(sheet_w - 1, int((u - np.floor(u)) * sheet_w))
                    j = min(sheet_h - 1, int((v - np.floor(v)) * sheet_h))
                    at = sheets[material, 0] + 3 * (j * sheet_w + i)
                    for k in range(3):
                        albedo[k] *= linear[texels[at + k]]
                direct = nx * lamp.towards[0] + ny * lamp.towards[1] + nz * lamp.towards[2]
                lit = 0.0
                if direct > 0.0:
                    lit = _in_light(lamp, depths, x + 0.02 * nx, y + 0.02 * ny, z + 0.02 * nz)
                soft = max(0.0, direct) * lit
                hx, hy, hz = lamp.towards[0] + ex, lamp.towards[1] + ey, lamp.towards[2] + ez
                long = 1.0 / np.sqrt(hx * hx + hy * hy + hz * hz + 1e-12)
                shine = max(0.0, (nx * hx + ny * hy + nz * hz) * long)
                shine *= shine
                shine *= shine
                shine *= shine
                shine *= shine
                gloss = look.gloss * lit * shine * shine
                rim = 1.0 - facing
                rim = rim * rim * rim
                rim *= look.rim * (0.35 + 0.65 * max(0.0, ny))
                up = 0.5 + 0.5 * ny
                for k in range(3):
                    ambient = look.below[k] + up * (look.above[k] - look.below[k])
                    value = albedo[k] * (ambient + look.key[k] * soft) + gloss + rim * look.above[k]
                    colour[k] += count * tones[min(_TONES - 1, int(_TONES * value))]
                seen += count
            for k in range(3):
                under = image[row, column, k]
                share = opacity * covered / SAMPLES
                image[row, column, k] = np.uint8(under + share * (colour[k] / seen - under) + 0.5)


def warm_up() -> None:
    """Compile every kernel on one triangle in a picture of a few pixels."""
    from kinetune.figures.rendering.actors import PLAIN
    from kinetune.figures.rendering.camera import Lens
    from kinetune.figures.rendering.renderer import LOOK, Lamp, Patch

    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    faces, nothing = np.array([[0, 1, 2]]), np.zeros((3, 3))
    x, y, z = np.eye(3)
    points, normals, screen = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    bones, weights = np.zeros((3, 4), np.int32), np.full((3, 4), 0.25)
    skin(corners, corners, bones, weights, np.zeros((1, 3, 4)), points, normals)
    lens = Lens(4.0 * z, x, y, -z, 4.0, 4.0, 2.0)
    nearness, owner = np.zeros((4, 8, SAMPLES), np.float32), np.full((4, 8, SAMPLES), -1, np.int32)
    project(corners, lens, screen)
    box = rasterize(screen, faces, False, nearness, owner)
    cells = np.zeros((8, 8), np.float32)
    lamp, patch = Lamp(nothing[0], x, y, z, 1.0, cells), Patch(0.0, 0.0, 0.0, 1.0)
    light_depths(corners, faces, lamp, cells)
    floor_shadow(corners, faces, np.zeros((1, 2)), np.ones(1), np.ones(1), patch, np.zeros((8, 8), np.int32), cells)
    soften(cells, cells.copy())
    tones, image = np.zeros(_TONES, np.uint8), np.zeros((4, 8, 3), np.uint8)
    paint_floor(lens, LOOK, patch, cells, tones, image)
    mesh = (screen, corners, normals, nothing, nothing[:, :2].copy(), faces, np.zeros(1, np.int64))
    paint_body(lens, box, (nearness, owner), mesh, PLAIN, lamp, LOOK, tones, 1.0, image)
    clear_samples(box, nearness, owner)
