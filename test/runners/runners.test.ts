import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject, type Project } from '../support/project.js'

let project: Project

beforeAll(async () => {
  project = await createProject('jest-environment-node')
  const waits = await readFile(join(import.meta.dirname, 'projects', 'waits.js'), 'utf8')
  await project.write('node/waits.test.js', waits)
  await project.write('vitest-waits/waits.test.js', waits.replace('node:test', 'vitest'))
  for (const runner of ['node', 'jest', 'vitest', 'vitest-reports']) {
    const tests = await readFile(join(import.meta.dirname, 'projects', `${runner}.js`), 'utf8')
    await project.write(`${runner}/job.test.js`, tests)
  }
  for (const [from, to] of [
    ['jest-hidden.js', 'jest-hidden/imports.test.js'],
    ['hidden-environment.cjs', 'jest-hidden/environment.cjs'],
  ] as const) {
    await project.write(to, await readFile(join(import.meta.dirname, 'projects', from), 'utf8'))
  }
  const fake = await readFile(join(import.meta.dirname, 'projects', 'fake-timers.js'), 'utf8')
  await project.write('jest-timers/deliveries.test.js', fake)
  const underVitest = fake
    .replace('jest as timers', 'vi as timers')
    .replace('@jest/globals', 'vitest')
  await project.write('vitest-timers/deliveries.test.js', underVitest)
})

afterAll(() => project.remove())

/** For a run of a runner, in milliseconds. */
const LIMIT = 60_000

describe('the built package', { timeout: LIMIT }, () => {
  it('provides matchers under node:test', async () => {
    const printed = await project.node(['--test', '--test-reporter=tap', 'node/job.test.js'])
    expect(printed).toMatch(/^ok \d+ - a job that fails$/m)
    expect(printed).toMatch(/^ok \d+ - a request$/m)
    expect(printed).toMatch(/^ok \d+ - a webhook$/m)
    expect(printed).toMatch(/^not ok \d+ - fails, and says why$/m)
    expect(printed).toContain('to have ended, but it failed with "CUDA out of memory')
    expect(printed).toContain('+1.00s  started, ')
  })

  it('ends waits for what cannot come, and no others, under node:test', async () => {
    const printed = await project.node(['--test', '--test-reporter=tap', 'node/waits.test.js'])
    expect(printed).toMatch(/^# fail 0$/m)
    expect(printed).toMatch(/^# pass 10$/m)
  })
})

// One run of each runner has all of its projects: most of the time of a run is its start.

describe('the built package under Jest', () => {
  // After the name of a file that took long, Jest prints the time.
  let printed: string
  beforeAll(async () => {
    const projects = ['jest', 'jest-timers', 'jest-hidden'].map((folder) => {
      const rootDir = join(project.folder, folder)
      const testEnvironment = folder === 'jest-hidden' ? '<rootDir>/environment.cjs' : 'node'
      return { rootDir, displayName: folder, transform: {}, testEnvironment }
    })
    printed = await project.jest(
      '--runInBand',
      '--verbose',
      '--config',
      JSON.stringify({ projects }),
    )
  }, LIMIT)

  it('provides matchers', () => {
    const [, own = ''] = /^FAIL jest \S+.*\n([^]*?)\n\n/m.exec(printed) ?? []
    expect(own).toMatch(/✓ a job that fails/)
    expect(own).toMatch(/✓ a request/)
    expect(own).toMatch(/✓ a webhook/)
    expect(own).toMatch(/✕ fails, and says why/)
    expect(printed).toMatch(/^ +- {3}"status": "ended",$[^]*?^ +\+ {3}"status": "failed",$/m)
    expect(printed).toContain('to have ended, but it failed with "CUDA out of memory')
  })

  it('can be imported in an environment that hides what Node has, as that of jsdom does', () => {
    expect(printed).toMatch(/^PASS jest-hidden \S+.*\n(?: +✓ .*\n){8}\n/m)
  })

  it('delivers webhooks under its fake timers', () => {
    expect(printed).toMatch(/^PASS jest-timers \S+.*\n(?: +✓ .*\n){3}\n/m)
  })
})

describe('the built package under Vitest', () => {
  let printed: string
  beforeAll(async () => {
    const include = ['vitest*/*.test.js']
    await project.write('vite.config.js', `export default { test: ${JSON.stringify({ include })} }`)
    printed = await project.vitest('--reporter=verbose')
  }, LIMIT)

  it('delivers webhooks under its fake timers', () => {
    expect(printed.match(/^ *✓ vitest-timers\/deliveries\.test\.js > /gm)).toHaveLength(3)
  })

  it('ends waits for what cannot come, and no others', () => {
    expect(printed.match(/^ *✓ vitest-waits\/waits\.test\.js > /gm)).toHaveLength(10)
  })

  it('provides a fixture that prints the trace of a failed test', () => {
    expect(printed).toMatch(/✓ vitest\/job.test.js > a job that fails/)
    expect(printed).toMatch(/× vitest\/job.test.js > fails, and says why/)
    expect(printed).toMatch(/^- {3}"status": "ended",$[^]*?^\+ {3}"status": "failed",$/m)
    expect(printed).toMatch(
      /expected \+?0 to be 1.*\n\nWhat happened \(scenario "failing-job", seed 7, clock auto, times since .*\):\n {2}\+0.00s {2}poet \w{8} started/,
    )
    expect(printed).toMatch(/✓ vitest\/job.test.js > hears of a job that fails/)
    expect(printed).toMatch(/× vitest\/job.test.js > fails for a delivery that was refused/)
    expect(printed).toMatch(/was not acknowledged: .+ \(deliveries: false allows it\)/)
    expect(printed).toMatch(/× vitest\/job.test.js > fails its client checks/)
    expect(printed).toMatch(/polled job .*\(pollsPastTheEnd: false allows it\)/)
  })

  it('provides a fixture that writes a report for each failed test', async () => {
    const files = [...printed.matchAll(/^Report: (.*)$/gm)].map(([, file]) => file!)
    const pages: string[] = []
    for (const folder of ['by-name', 'by-variable']) {
      const names = await readdir(join(project.folder, folder))
      pages.push(...names.sort().map((name) => join(folder, name)))
    }
    expect([...new Set(files)].sort()).toEqual(pages)
    expect(pages.map((file) => file.replace(/-+\d+(?:_\d+|-\d+)*\.html$/, ''))).toEqual([
      join('by-name', 'chosen-fails-again'),
      join('by-variable', 'fails'),
      join('by-variable', 'fails-its-client-checks'),
    ])
    const [, failed, unchecked] = await Promise.all(
      pages.map((file) => readFile(join(project.folder, file), 'utf8')),
    )
    expect(failed).toContain('<title>fails</title>')
    expect(failed).toMatch(/expected job \w{8} of model .* to have ended, but it failed/)
    expect(failed).toContain('seed 7')
    expect(unchecked).toContain('pollsPastTheEnd: false allows it')
    expect(printed).toMatch(/^Failed to write the report: .*ENOTDIR.*$/m)
  })
})
