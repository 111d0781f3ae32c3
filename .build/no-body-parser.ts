/** Stands in for `body-parser`, whose parts Express exports and no port uses. */
export const json = undefined
export const raw = undefined
export const text = undefined
export const urlencoded = undefined
