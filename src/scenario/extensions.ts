/**
 * The extension wires: forms of chats that the documented service does not have. They are off unless a user
 * turns them on.
 */
export const extensionNames = ['completions', 'responses', 'messages'] as const

/**
 * The name of an extension wire: an inference API that the service does not have. See
 * `docs/extensions.md`.
 */
export type ExtensionName = (typeof extensionNames)[number]
