import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createEmulator, type Bill } from '../../../src/index.js'
import { sdkVariables } from '../../../src/emulator/sdk-variables.js'
import { environments, prepare, runPython } from '../python.js'
import { variablesFor } from '../use.js'

const print = (line: string): void => void process.stdout.write(`${line}\n`)

/**
 * Compares the estimate of a bill from 3 steps with the bill of 30, for each program of `clients/` that trains a number
 * of steps. Prints the figures, and fails if one of them is not in its range.
 */

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '3' },
    to: { type: 'string', default: '30' },
    /** The name of the only program to run. */
    only: { type: 'string' },
  },
})
const [from, to] = [Number(values.from), Number(values.to)]

interface Program {
  readonly name: string
  readonly arguments: readonly string[]
  readonly scenario: string
  /** How many jobs it has besides its steps. */
  readonly others: number
}

const programs: readonly Program[] = [
  { name: 'art_with_runs', arguments: ['train', '{folder}'], scenario: 'happy-path', others: 0 },
  // Each ends with a job that fine-tunes.
  { name: 'art_loop judged', arguments: ['judged'], scenario: 'learning-policy', others: 1 },
  { name: 'art_loop compared', arguments: ['compared'], scenario: 'learning-policy', others: 1 },
]

const PRICES = {
  currency: 'usd',
  models: { '*': { prompt: 0.5, completion: 1.5, trained: 4 } },
  storage: { gb_month: 0.03, checkpoint: '320MB' },
  training_hour: 2,
}

const python = await prepare('newest', environments.newest)
if (python.why !== undefined) throw new Error(python.why)
const { command } = python

async function billOf(program: Program, steps: number): Promise<Bill> {
  const folder = mkdtempSync(join(tmpdir(), 'svtrain-estimates-'))
  try {
    const { scenario, others } = program
    await using emulator = createEmulator({ scenario, clock: 'auto' })
    await emulator.listen()
    const file = `${program.name.split(' ')[0]}.py`
    const words = program.arguments.map((word) => word.replace('{folder}', folder))
    const ran = await runPython(command, [join('clients', file), ...words], {
      ...sdkVariables(emulator, {}),
      ...variablesFor(emulator),
      WANDB_DIR: folder,
      STEPS: String(steps),
    })
    if (ran.code !== 0) throw new Error(`${program.name} failed: ${ran.stderr.slice(-2000)}`)
    return await emulator.bill({ prices: PRICES, steps: to + others })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The figures of a bill, by the names of the estimate. */
function figuresOf({ totals, time, storage, money }: Bill): Record<string, number> {
  const { chats, prompt, completion, trained } = totals
  return {
    chats,
    prompt,
    completion,
    trained,
    tokens: prompt + completion + trained,
    time: time.total,
    checkpoints: storage.checkpoints,
    bytes: storage.bytes,
    money: money!.total,
  }
}

let outside = 0
for (const program of programs.filter(({ name }) => [undefined, name].includes(values.only))) {
  const { estimate } = await billOf(program, from)
  const real = figuresOf(await billOf(program, to))
  print(`${program.name}: the bill of ${to} steps, and its estimate from ${from}`)
  for (const [name, figure] of Object.entries(real)) {
    const { low, likely, high } = estimate![name as 'chats']
    const isIn = low <= figure && figure <= high
    if (!isIn) outside++
    const cells = [figure, low, likely, high].map((each) => String(Number(each.toPrecision(6))))
    const [bill, ...range] = cells.map((cell) => cell.padStart(12))
    print(`  ${name.padEnd(12)}${bill}${range.join('')}${isIn ? '' : '  outside'}`)
  }
}
print(outside === 0 ? 'Each figure is in its range.' : `${outside} figures are outside.`)
process.exitCode = outside === 0 ? 0 : 1
