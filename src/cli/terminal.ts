import type { Paint } from './paint.js'

/** Where the command writes to. */
export interface Terminal {
  write: (text: string) => void
  writeError: (text: string) => void
  paint: Paint
}
