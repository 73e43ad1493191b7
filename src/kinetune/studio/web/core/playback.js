/** The clock of the page: which frame is shown, and how it moves on. */

export class Playback {
  constructor() {
    this.frames = 1;
    this.fps = 30;
    this.frame = 0;
    this.speed = 1;
    this.playing = false;
    this.looping = true;
    /** @type {[number, number] | null} */ this.range = null;
    this.last = 0;
    /** @type {Set<(frame: number) => void>} */ this.listeners = new Set();
    /** @type {Set<() => void>} */ this.stateListeners = new Set();
  }

  /** @param {number} frames @param {number} fps */
  setClip(frames, fps) {
    this.frames = Math.max(1, frames);
    this.fps = fps;
    if (this.range && this.range[1] > this.frames - 1)
      this.setRange([Math.min(this.range[0], this.frames - 1), this.frames - 1]);
    this.setFrame(this.frame);
  }

  /** Go to a frame; numbers beyond the ends stop there. @param {number} frame */
  setFrame(frame) {
    this.frame = Math.min(this.frames - 1, Math.max(0, frame));
    for (const call of this.listeners) call(this.frame);
  }

  /** @param {boolean} on */
  setPlaying(on) {
    if (on === this.playing) return;
    this.playing = on;
    this.last = 0;
    if (on && !this.looping && this.frame >= this.frames - 1) this.frame = 0;
    if (!on) this.setFrame(Math.round(this.frame));
    this.changed();
  }

  toggle() {
    this.setPlaying(!this.playing);
  }

  /** @param {number} by  frames */
  step(by) {
    this.setPlaying(false);
    this.setFrame(Math.round(this.frame) + by);
  }

  /** @param {[number, number] | null} range  first and last frame of the loop */
  setRange(range) {
    this.range =
      range && range[1] - range[0] >= 1 ? [Math.max(0, range[0]), Math.min(this.frames - 1, range[1])] : null;
    this.changed();
  }

  /** @param {boolean} on */
  setLooping(on) {
    this.looping = on;
    this.changed();
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.speed = speed;
    this.changed();
  }

  /** Move on by the time since the last call. @param {number} now  milliseconds @returns {boolean} whether it moved */
  tick(now) {
    if (!this.playing) return false;
    const passed = this.last ? Math.min(250, now - this.last) / 1000 : 0;
    this.last = now;
    const [first, last] = (this.looping && this.range) || [0, this.frames - 1];
    let frame = this.frame + passed * this.fps * this.speed;
    if (frame > last || frame < first - 1) {
      if (!this.looping) {
        this.setFrame(last);
        this.setPlaying(false);
        return true;
      }
      frame = frame > last ? first + ((frame - first) % Math.max(1, last - first)) : first;
    }
    this.setFrame(frame);
    return true;
  }

  /** @param {(frame: number) => void} then @returns {() => void} */
  onFrame(then) {
    this.listeners.add(then);
    return () => this.listeners.delete(then);
  }

  /** Called when playing, looping, range or speed change. @param {() => void} then @returns {() => void} */
  onState(then) {
    this.stateListeners.add(then);
    return () => this.stateListeners.delete(then);
  }

  changed() {
    for (const call of this.stateListeners) call();
  }
}
