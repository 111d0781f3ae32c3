import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordingIn, type Recording } from '../../../src/tools/recording/read-recording.js'
import { RECORDING_FILE } from '../../../src/base/text/evidence.js'

/** Reads the recording in a folder. */
export function recordingOf(folder: string): Recording {
  const file = join(folder, RECORDING_FILE)
  return recordingIn(readFileSync(file, 'utf8'), file)
}
