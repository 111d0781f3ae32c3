/**
 * The process that is killed: an emulator with a data folder and one of the clock modes. It prints its
 * two base URLs, and exits with the process that started it.
 */
import { createEmulator, type ClockMode } from '../../../src/index.js'

const [data, mode] = process.argv.slice(2) as [string, ClockMode]
const emulator = createEmulator({ data, clock: mode, speed: 20 })
await emulator.listen()
const { trainingUrl, inferenceUrl } = emulator
console.log(JSON.stringify({ trainingUrl, inferenceUrl }))
process.stdin.resume().on('end', () => process.exit())
