/** The names that secrets can have. */
export const SECRET_NAME = /^[A-Za-z_]\w*$/

/** Completes "expected …" in error messages. */
export const SECRET_NAME_WORDS = 'a name of letters, digits and underscores'
