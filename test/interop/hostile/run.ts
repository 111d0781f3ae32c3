import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { environments, prepare } from '../python.js'
import { hunt } from './hunt.js'
import { explain, tally } from './tally.js'

/** `npx tsx test/interop/hostile/run.ts --seed 77 --count 20000`: more requests than the suite sends. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '77' },
    count: { type: 'string', default: '5000' },
    family: { type: 'string' },
    python: { type: 'string' },
    out: { type: 'string' },
    show: { type: 'string', default: '20' },
  },
})

const write = (line: string): void => void process.stdout.write(`${line}\n`)
const percent = (part: number, all: number): string => `${((100 * part) / all).toFixed(2)} %`

const prepared = values.python ?? (await prepare('framework', environments.framework)).command
if (prepared === undefined) throw new Error('No Python with the framework. Pass one with --python.')
const [seed, count, show] = [values.seed, values.count, values.show].map(Number) as [
  number,
  number,
  number,
]
const judged = await hunt({ python: prepared, seed, count, family: values.family })
const found = tally(judged)

if (values.out !== undefined) {
  const lines = found.unexplained.map(
    ({ request: { family, index, bytes, target }, theirs, ours }) => {
      const told = [theirs, ours].map((answers) =>
        answers.map(({ status, headers, body }) => [
          status,
          Object.fromEntries(headers),
          body.toString('latin1'),
        ]),
      )
      const [their, our] = told
      const sent = bytes.toString('latin1')
      return `${JSON.stringify({ family, index, target, bytes: sent, framework: their, emulator: our })}\n`
    },
  )
  writeFileSync(values.out, lines.join(''))
}
for (const each of found.unexplained.slice(0, show)) write(`${explain(each)}\n`)
for (const [name, family] of Object.entries(found.families)) {
  write(
    `${name}: ${family.count}, same ${percent(family.same, family.count)}, with choices ${percent(family.explained, family.count)}`,
  )
}
for (const [name, met] of Object.entries(found.choices)) write(`choice: ${name}: ${met}`)
write(
  `seed ${seed}: ${found.count} requests, same ${percent(found.same, found.count)}, with choices ${percent(found.explained, found.count)}, unexplained ${found.unexplained.length}`,
)
if (found.unexplained.length > 0) process.exitCode = 1
