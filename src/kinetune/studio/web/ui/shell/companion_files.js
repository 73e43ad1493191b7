/** Files that belong together: a motion (.amc) and its skeleton (.asf), a scene (.gltf) and what it points to. */

const BESIDE = /\.(bin|png|jpe?g|webp|ktx2)$/i;

/** Skeletons that came before: a motion that comes later may be theirs. @type {File[]} */
let skeletons = [];

/** @param {File} file */
export const isSkeleton = (file) => /\.asf$/i.test(file.name);

/** @param {File} file */
const isMotion = (file) => /\.amc$/i.test(file.name);

/** A name without its suffix. @param {string} name */
export const stem = (name) => name.replace(/\.[^.]+$/, "");

/**
 * What has to be sent for some files, which of them are to be opened, and the first one that lacks another file.
 * @param {File[]} given
 * @returns {{files: File[], opened: number[], lacking: File | null}}
 */
export function together(given) {
  const own = given.filter(isSkeleton),
    motions = given.filter(isMotion);
  skeletons = [...skeletons.filter(({ name }) => !own.some((file) => file.name === name)), ...own];
  const found = motions.map(
      (motion) => skeletonOf(motion, own) ?? (own.length === 1 ? own[0] : skeletonOf(motion, skeletons)),
    ),
    missing = found.indexOf(null);
  // Under the motion's own name, since a reader looks for a skeleton there first.
  const added = found.flatMap((skeleton, k) =>
    skeleton ? [new File([skeleton], `${stem(motions[k].name)}.asf`)] : [],
  );
  const files = [...given.filter((file) => !motions.length || !isSkeleton(file)), ...added],
    main = files.map((file, k) => (BESIDE.test(file.name) || added.includes(file) ? -1 : k)).filter((k) => k >= 0);
  return { files, opened: main.length ? main : [0], lacking: missing < 0 ? null : motions[missing] };
}

/** The skeleton whose name begins the motion's with most letters, as 02.asf does that of 02_01.amc. @param {File} motion @param {File[]} among @returns {File | null} */
function skeletonOf(motion, among) {
  const name = stem(motion.name).toLowerCase(),
    fitting = among.filter((file) => name.startsWith(stem(file.name).toLowerCase()));
  return fitting.sort((a, b) => b.name.length - a.name.length)[0] ?? null;
}
