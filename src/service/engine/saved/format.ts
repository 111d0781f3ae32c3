/** The version of the format. It increases if the meaning of records changes. Other versions are refused. */
export const WORLD_VERSION = 1

/** Dates end at 8.64e15. The difference leaves room for moments, which move when a world resumes. */
export const LAST_MOMENT = 8e15
