/**
 * `npm run mutation`: makes one mistake of a fixed list at a time, and runs the tests that reach it. A test
 * must fail. Prints what survives. See docs/contributing.md.
 *
 * - `sample.json` is the list. A seed drew it from all of `src/`. What the compiler refuses is not in it, and neither
 *   is the wording of messages: text with a space. An entry is found by its text. `--redraw` draws another one from
 *   the same file for each that is gone.
 * - `killers.json` names the test file that killed each mutant. It runs first. `--killers` runs nothing else.
 * - `--only 17,18` tries some of the list, and `--again` goes on where an interrupted run ended.
 * - `--json <file>` writes all verdicts, and `--write` the page of survivors and the list of killers.
 * - `--folder <path>` names the folder of the copy. Its notes belong to one list.
 * - `--list <folder>` works with another list, such as `second-draw`. With `--redraw --count 100 --seed 7`, it draws
 *   100 mutants that this list does not have. `--since v0.2` leaves out lines that this commit has as well.
 * - A mutant that makes a test too slow counts as killed. The last line says how many there are.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Copy } from './copy.js'
import { Judge, type Verdict } from './judge.js'
import { readKillers, writeKillers } from './killers.js'
import { redraw } from './redraw.js'
import {
  entriesOf,
  find,
  linesOf,
  placedIn,
  readText,
  SEED,
  SIZE,
  type Entry,
  type Placed,
} from './sample.js'
import { shared } from './share.js'
import { summaryOf, writeSurvivors } from './survivors.js'

const root = join(import.meta.dirname, '..', '..')
const { values } = parseArgs({
  options: {
    list: { type: 'string', default: import.meta.dirname },
    redraw: { type: 'boolean', default: false },
    count: { type: 'string', default: String(SIZE) },
    seed: { type: 'string', default: String(SEED) },
    since: { type: 'string' },
    again: { type: 'boolean', default: false },
    killers: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    only: { type: 'string' },
    json: { type: 'string' },
    folder: { type: 'string', default: join(tmpdir(), 'svtrain-emulator-mutation') },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
})
/** The folder of the list, of the killers, and of the page of survivors. */
const lists = resolve(values.list)
const killers = join(lists, 'killers.json')
const say = (text: string): void => void process.stdout.write(`${text}\n`)

if (values.redraw)
  await redraw(root, new Copy(root, values.folder), join(lists, 'sample.json'), {
    count: Number(values.count),
    seed: Number(values.seed),
    // Another list has other mutants than ours.
    not: lists === import.meta.dirname ? [] : otherLists().flatMap(entriesOf),
    old: values.since === undefined ? new Set() : linesOf(root, values.since),
  })
else process.exitCode = await main()

async function main(): Promise<number> {
  const all = entriesOf(lists)
  const only = values.only?.split(',').map(Number)
  const entries = all.filter(({ id }) => only?.includes(id) ?? true)
  const placed = placeAll(all)
  const gone = all.filter(({ id }) => !placed.has(id))
  for (const entry of gone) say(`Gone: ${entry.id} ${entry.file} ${entry.kind} ${entry.original}`)
  if (gone.length > 0) {
    say(`${gone.length} mutants are gone. Draw others: npm run mutation -- --redraw`)
    return 1
  }
  const shares = shared(entries, Number(values.workers))
  const verdicts = await Promise.all(
    shares.map((share, index) => work(join(values.folder, String(index + 1)), share, placed)),
  )
  return report(
    verdicts.flat().sort((a, b) => a.id - b.id),
    placed,
  )
}

/** Judges a part of the list in a copy of its own. */
async function work(
  folder: string,
  entries: readonly Entry[],
  placed: ReadonlyMap<number, Placed>,
): Promise<Verdict[]> {
  const copy = new Copy(root, folder)
  copy.write([...placed].map(([id, each]) => ({ ...each, id })))
  await copy.build()
  const judge = new Judge(copy, entries, { killers: readKillers(killers), say })
  if (!values.again) judge.forget()
  await judge.killers()
  if (values.killers) return judge.verdicts()
  await judge.nearest()
  await judge.near()
  await judge.far()
  await judge.alone()
  return judge.verdicts()
}

/** The folders of all lists but the one that is drawn. */
function otherLists(): string[] {
  const below = readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(import.meta.dirname, name))
  return [import.meta.dirname, ...below].filter(
    (folder) => folder !== lists && existsSync(join(folder, 'sample.json')),
  )
}

function placeAll(entries: readonly Entry[]): Map<number, Placed> {
  const found = new Map<number, Placed>()
  for (const file of new Set(entries.map((each) => each.file))) {
    if (!existsSync(join(root, file))) continue
    const all = placedIn(file, readText(root, file))
    for (const entry of entries.filter((each) => each.file === file)) {
      const place = find(entry, all)
      if (place) found.set(entry.id, place)
    }
  }
  return found
}

function report(verdicts: readonly Verdict[], placed: ReadonlyMap<number, Placed>): number {
  say('')
  for (const { id, killed, reached } of verdicts) {
    if (killed) continue
    const { file, row, kind, original, mutant } = placed.get(id)!
    const why = reached ? 'survived' : 'not reached'
    say(`${id} ${why}: ${file}:${row}, ${kind}: ${original} -> ${mutant}`)
  }
  say(summaryOf(verdicts))
  if (values.write) {
    writeSurvivors(join(lists, 'survivors.md'), verdicts, placed)
    writeKillers(killers, verdicts)
  }
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify(verdicts, null, 2)}\n`)
  const killed = verdicts.filter((each) => each.killed).length
  return killed / verdicts.length >= 0.9 ? 0 : 1
}
