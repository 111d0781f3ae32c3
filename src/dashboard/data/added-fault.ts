import type { ControlFault } from '../../emulator/control/schemas/faults.js'

/** Whether a fault was added by a call, and is not from the scenario. Only the ids of such faults begin like this. */
export function isAdded({ id }: Pick<ControlFault, 'id'>): boolean {
  return id.startsWith('added-')
}
