/**
 * The extension wires: forms of chats that the documented service does not have. They are off unless a user
 * turns them on.
 */
export const extensionNames = ['completions', 'responses', 'messages'] as const

/** The name of an extension wire. */
export type ExtensionName = (typeof extensionNames)[number]
