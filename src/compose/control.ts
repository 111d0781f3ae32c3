import { createControlHandler } from '../emulator/control/handle.js'
import { controlOperations, operations } from './control-table.js'
import type { Emulator } from '../emulator/emulator.js'
import type { Runtime } from './compose.js'

/** The control API of an emulator, with the rows of all tools. */
export const control: Runtime<object, Emulator>['control'] = (emulator) =>
  createControlHandler(emulator, { rows: controlOperations, operations })
