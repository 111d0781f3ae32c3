/** The root of the control API. The base path does not change it. */
export const CONTROL_ROOT = '/_emulator'

/** Whether a received path belongs to the control API. */
export function isControlPath(path: string): boolean {
  return path === CONTROL_ROOT || path.startsWith(`${CONTROL_ROOT}/`)
}
