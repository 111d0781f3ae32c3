/** The text that replaces a secret. */
export const HIDDEN = '[not shown]'
