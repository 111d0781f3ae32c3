/**
 * The process that is killed: an emulator that keeps its world in a folder, in one of the clock's
 * modes. It prints its two base URLs, and ends with the process that started it.
 */
import { createEmulator, type ClockMode } from '../../../src/index.js'

const [data, mode] = process.argv.slice(2) as [string, ClockMode]
const emulator = createEmulator({ data, clock: mode, speed: 20 })
await emulator.listen()
const { trainingUrl, inferenceUrl } = emulator
console.log(JSON.stringify({ trainingUrl, inferenceUrl }))
process.stdin.resume().on('end', () => process.exit())
