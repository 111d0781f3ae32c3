import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject, type Project } from '../support/project.js'

let project: Project

beforeAll(async () => {
  project = await createProject()
  for (const runner of ['node', 'jest', 'vitest', 'vitest-reports']) {
    const tests = await readFile(join(import.meta.dirname, 'projects', `${runner}.js`), 'utf8')
    await project.write(`${runner}/job.test.js`, tests)
  }
  const common = await readFile(join(import.meta.dirname, 'projects', 'jest-commonjs.js'), 'utf8')
  await project.write('jest-commonjs/job.test.cjs', common)
  const fake = await readFile(join(import.meta.dirname, 'projects', 'fake-timers.js'), 'utf8')
  await project.write('jest-timers/deliveries.test.js', fake)
  const underVitest = fake
    .replace('jest as timers', 'vi as timers')
    .replace('@jest/globals', 'vitest')
  await project.write('vitest-timers/deliveries.test.js', underVitest)
})

afterAll(() => project.remove())

describe('the built package', { timeout: 60_000 }, () => {
  it('provides matchers under node:test', async () => {
    const printed = await project.node(['--test', '--test-reporter=tap', 'node/job.test.js'])
    expect(printed).toMatch(/^ok \d+ - a job that fails$/m)
    expect(printed).toMatch(/^ok \d+ - a request$/m)
    expect(printed).toMatch(/^ok \d+ - a webhook$/m)
    expect(printed).toMatch(/^not ok \d+ - fails, and says why$/m)
    expect(printed).toContain('to have ended, but it failed with "CUDA out of memory')
    expect(printed).toContain('+1.00s  started, ')
  })

  it('provides matchers under Jest', async () => {
    const config = { rootDir: 'jest', transform: {}, testEnvironment: 'node' }
    const printed = await project.jest('--config', JSON.stringify(config))
    expect(printed).toMatch(/✓ a job that fails/)
    expect(printed).toMatch(/✓ a request/)
    expect(printed).toMatch(/✓ a webhook/)
    expect(printed).toMatch(/✕ fails, and says why/)
    expect(printed).toContain('to have ended, but it failed with "CUDA out of memory')
  })

  it('provides matchers under Jest in a CommonJS test', async () => {
    const config = { rootDir: 'jest-commonjs', transform: {}, testEnvironment: 'node' }
    const printed = await project.jest('--config', JSON.stringify(config))
    expect(printed).toMatch(/✓ a job that fails/)
  })

  it('delivers webhooks under the fake timers of Jest', async () => {
    const config = { rootDir: 'jest-timers', transform: {}, testEnvironment: 'node' }
    const printed = await project.jest('--config', JSON.stringify(config))
    expect(printed).toMatch(/^Tests: +3 passed, 3 total$/m)
  })

  it('delivers webhooks under the fake timers of Vitest', async () => {
    const printed = await project.vitest('--root', 'vitest-timers')
    expect(printed).toMatch(/^ +Tests +3 passed \(3\)$/m)
  })

  it('provides a Vitest fixture that prints the trace of a failed test', async () => {
    const printed = await project.vitest('--root', 'vitest', '--reporter=verbose')
    expect(printed).toMatch(/✓ job.test.js > a job that fails/)
    expect(printed).toMatch(/× job.test.js > fails, and says why/)
    expect(printed).toMatch(
      /expected \+?0 to be 1.*\n\nWhat happened \(scenario "failing-job", seed 7, clock auto\):\n {2}\+0.00s {2}poet \w{8} started/,
    )
    expect(printed).toMatch(/✓ job.test.js > hears of a job that fails/)
    expect(printed).toMatch(/× job.test.js > fails for a delivery that was refused/)
    expect(printed).toMatch(/was not acknowledged \(deliveries: false allows it\)/)
    expect(printed).toMatch(/× job.test.js > fails its client checks/)
    expect(printed).toMatch(/polled job .*\(pollsPastTheEnd: false allows it\)/)
  })
  it('provides a Vitest fixture that writes a report for each failed test', async () => {
    const printed = await project.vitest('--root', 'vitest-reports', '--reporter=verbose')
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
