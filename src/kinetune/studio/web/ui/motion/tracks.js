/** Tracks as the server takes them. */

/** @param {import("../../core/timeline.js").Track[]} tracks */
export const plainTracks = (tracks) =>
  tracks.map(({ id, clip, lane, at, start, stop, mute }) => ({
    ...(id ? { id } : {}),
    clip,
    lane,
    at,
    start,
    stop,
    mute,
  }));
