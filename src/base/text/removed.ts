/** Options, variables and keys of scenarios that were removed, by their names, with what to do now. */
const removed: Readonly<Record<string, string>> = {
  extensions:
    'was removed in 0.3: the service has no such wire; leave it out, and send chats to /v1/chat/completions.',
}

/**
 * Says that an option, a variable or a key was removed, and what to do now. Undefined if there was
 * none of that name.
 *
 * @param shown The name as the user wrote it, such as `--extensions`.
 */
export function removedText(name: string, shown: string): string | undefined {
  return Object.hasOwn(removed, name) ? `${shown} ${removed[name]}` : undefined
}
