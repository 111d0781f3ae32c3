/** Replaces `body-parser`. Express exports its functions, and no port uses them. */
export const json = undefined
export const raw = undefined
export const text = undefined
export const urlencoded = undefined
