/**
 * Measures what `explore` takes for a training loop of the newest openpipe-art: as it is, and as `explore` runs it, with
 * short pauses and copies of one process. The runs pass, so nothing is shrunk. `npm run conformance` makes the
 * environment of Python that it needs.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { ExploreReport } from '../../src/tools/explore/exploration.js'
import { median } from './statistics.js'
import type { Settings } from './settings.js'
import type { Table } from './table.js'

const PYTHON = resolve('test/interop/.venv/newest/bin/python')
const LOOP = resolve('test/interop/clients/art_resumes.py')

const PASSED = ['dropped-connections', 'slow-start', 'checkpoints-on-the-way', 'learning-policy']
const MORE = ['moving-pages', 'slow-responses', 'stalled-then-resumed']

/** The shell says what its children used, when they have ended. */
const TIMED = '"$0" "$@" 2> /dev/null; times'

export function explorations({ quick }: Settings): Table[] {
  if (!existsSync(PYTHON)) throw new Error(`${PYTHON} is missing. Run npm run conformance once.`)
  const names = quick ? PASSED.slice(0, 2) : [...PASSED, ...MORE]
  const rows = { 'as it is': ['--as-is'], 'as `explore` runs it': [] }
  return [
    {
      title: 'An exploration of openpipe-art',
      columns: ['all', 'processor time of all', 'a run'],
      rows: Object.entries(rows).map(([name, options]) => {
        const { took, used, runs } = measured([...options, `--only=${names.join(',')}`])
        const figures = [took, used, median(runs)]
        return { name, figures: figures.map((value) => ({ value: value / 1000, unit: 's' })) }
      }),
      notes: [
        `${names.length + 1} runs. The first one is as it is in both rows, and no part of "a run".`,
      ],
    },
  ]
}

function measured(options: readonly string[]) {
  const cwd = mkdtempSync(join(tmpdir(), 'svtrain-bench-'))
  const bin = resolve('bin/svtrain-emulator.js')
  const limits = ['--time=1h', '--timeout=10m', '--json']
  const args = [bin, 'explore', ...limits, ...options, '--', PYTHON, LOOP, join(cwd, 'out')]
  try {
    const { stdout } = spawnSync('sh', ['-c', TIMED, process.execPath, ...args], {
      cwd,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    })
    const report = JSON.parse(stdout.slice(0, stdout.lastIndexOf('}') + 1)) as ExploreReport
    if (report.failures.length > 0) throw new Error(`A run failed: ${report.failures[0]!.title}`)
    const seconds = [
      ...stdout
        .trim()
        .split('\n')
        .at(-1)!
        .matchAll(/(\d+)m([\d.]+)s/g),
    ].map(([, minutes, rest]) => Number(minutes) * 60 + Number(rest))
    const used = seconds.reduce((sum, each) => sum + each, 0) * 1000
    return { took: report.took, used, runs: report.runs.slice(1).map(({ took }) => took) }
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}
