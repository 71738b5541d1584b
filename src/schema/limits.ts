/*
 * Limits of the protocol that several parts say.
 */

/** Most bytes of a target's image. */
export const MAX_TARGET_IMAGE_BYTES = 2_359_293;
/** Most pixels of a target's image. */
export const MAX_TARGET_IMAGE_PIXELS = 37_748_736;
/** Most bytes of a target's metadata when it is decoded. */
export const MAX_METADATA_BYTES = 1_048_575;
/** Most bytes of a header's name, its value and what separates them. */
export const LONGEST_HEADER_LINE_BYTES = 8190;
