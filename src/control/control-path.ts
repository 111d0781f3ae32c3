/** Where the control API stands, whatever the base path. */
export const CONTROL_ROOT = '/_emulator'

/** Whether a path, as it was received, belongs to the control API. */
export function isControlPath(path: string): boolean {
  return path === CONTROL_ROOT || path.startsWith(`${CONTROL_ROOT}/`)
}
