import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { junitXml, type JunitCase } from '../../src/cli/failure/junit.js'
import { checkNames } from '../../src/service/scenario/check-names.js'
import { readJunit } from './failure/read-junit.js'
import { startReceiver } from '../support/receiver.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { run } from './commands.js'
import { client } from './explored-program.js'
import { endedInProcess } from './in-process.js'

/** Any UTF-16 text, with the characters that XML and terminals treat in a special way. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(...'<>&"\'\t\n\r ]\u0000\u001b\u0085\u2028\ud800\udfff\ufffeä'.split('')),
  }),
)

/** What a reader of XML gets for a text that XML may not contain. */
function readable(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- colors
      .replaceAll(/\u001b\[[\d;]*m/g, '')
      // oxlint-disable-next-line no-control-regex -- XML does not allow them.
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .replaceAll(/\p{Surrogate}/gu, '\ufffd')
  )
}

it('writes XML that gives back any text', () => {
  const failure = fc.record({ title: anyText, kind: anyText, reason: anyText })
  const outcome = fc.oneof(
    fc.constant({}),
    fc.record({ failure }),
    fc.record({ error: failure }),
    fc.record({ skipped: anyText }),
  )
  const anyCase = fc
    .tuple(fc.record({ name: anyText, stdout: anyText }), outcome)
    .map(([first, second]): JunitCase => ({ ...first, ...second }))
  fc.assert(
    fc.property(fc.array(anyCase, { maxLength: 4 }), anyText, (cases, name) => {
      const read = readJunit(junitXml({ name, properties: { name }, cases, took: 1500 }))
      expect(read.map((each) => each.name)).toEqual(cases.map((each) => readable(each.name)))
      expect(read.map(({ output }) => output)).toEqual(cases.map((each) => readable(each.stdout!)))
      const messages = cases.map(({ failure: failed, error, skipped }) => {
        return readable(failed?.title ?? error?.title ?? skipped ?? '')
      })
      expect(read.map(({ message }) => message)).toEqual(messages)
    }),
  )
})

function reportIn(folder: string): { file: string; cases: () => ReturnType<typeof readJunit> } {
  // In a folder that does not exist yet.
  const file = join(folder, 'reports', 'junit.xml')
  return { file, cases: () => readJunit(readFileSync(file, 'utf8')) }
}

describe('--junit', () => {
  it('of scenarios check has a case for each file', async () => {
    const folder = temporaryFolder()
    const { file, cases } = reportIn(folder)
    const [good, bad] = [join(folder, 'good.yaml'), join(folder, 'bad.yaml')]
    writeFileSync(good, 'name: good\n')
    writeFileSync(bad, 'name: bad\nsped: 2\n')
    expect(await run(`scenarios check ${good} ${bad} --junit ${file}`)).toMatchObject({ code: 2 })
    const [first, second] = cases()
    expect(first).toMatchObject({ name: good, outcome: 'passed' })
    expect(second).toMatchObject({ name: bad, outcome: 'failure' })
    expect(second!.message).toContain('sped')
    expect(second!.text).toContain('> 2 | sped: 2')
  })

  it('of check-receiver has a case for each check', async () => {
    const { file, cases } = reportIn(temporaryFolder())
    const receiver = await startReceiver((response) => response.end())
    const line = `check-receiver ${receiver.url} --secret s3cret --junit ${file}`
    const { code, stdout } = await run(line)
    expect(code).toBe(1)
    const [, passed, failed] = /(\d+) passed, (\d+) failed/.exec(stdout)!
    const count = (outcome: string): number => {
      return cases().filter((each) => each.outcome === outcome).length
    }
    expect([count('passed'), count('failure')]).toEqual([Number(passed), Number(failed)])
    expect(readFileSync(file, 'utf8')).not.toContain('s3cret')
  })

  it('says that the file cannot be written, and does not change the exit code', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'good.yaml'), 'name: good\n')
    const ran = await run(`scenarios check ${folder}/good.yaml --junit ${folder}/good.yaml/x.xml`)
    expect(ran.code).toBe(0)
    expect(ran.stderr).toMatch(/^Failed to write the JUnit report to .*good\.yaml\/x\.xml: \w+:/)
  })
})

describe('--junit of exec', { timeout: 30_000 }, () => {
  async function execute(command: readonly string[], options: readonly string[] = []) {
    const folder = temporaryFolder()
    const { file, cases } = reportIn(folder)
    const words = ['exec', '--junit', file, ...options, '--', ...command]
    const { code } = await endedInProcess(words, { cwd: folder })
    return { code, cases }
  }

  function exec(program: string, options?: readonly string[]) {
    return execute([process.execPath, '-e', program], options)
  }

  it('has a case for the command', async () => {
    const { code, cases } = await exec('await fetch(process.env.SVTRAIN_BASE_URL + "/helth")')
    expect(code).toBe(0)
    const [only] = cases()
    expect(only).toMatchObject({ outcome: 'passed' })
    expect(only!.output).toContain('404  GET /v1/helth')
  })

  it('has the report of a command that fails', async () => {
    const { code, cases } = await exec('process.exitCode = 7', ['--scenario', 'failing-job'])
    expect(code).toBe(7)
    const [only] = cases()
    expect(only).toMatchObject({ outcome: 'failure', message: 'exited with code 7' })
    expect(only!.text).toMatch(
      /^Run it again:\n {2}npx svtrain-emulator exec --scenario failing-job/m,
    )
  })

  it('has a failure for a command that runs too long', async () => {
    const { code, cases } = await exec('setInterval(() => {}, 1000)', ['--timeout', '1s'])
    expect(code).toBe(124)
    expect(cases()[0]!.message).toMatch(/^did not end in .* and was stopped$/)
  })

  it('has an error for a command that cannot be started', async () => {
    const { code, cases } = await execute(['no-such-command'])
    expect(code).toBe(127)
    expect(cases()).toMatchObject([{ name: 'no-such-command', outcome: 'error' }])
  })

  it('has a case for each client check', async () => {
    const program = `${client} const { id } = await call('models', model); await create(id); await create(id)`
    const { code, cases } = await exec(program, ['--checks'])
    expect(code).toBe(1)
    const [own, ...checked] = cases()
    const names = checkNames.filter((name) => name !== 'deliveries')
    expect(checked.map(({ name }) => name)).toEqual(names.map((name) => `client check ${name}`))
    expect(checked[0]).toMatchObject({ name: 'client check duplicateJobs', outcome: 'failure' })
    expect(own).toMatchObject({ outcome: 'passed' })
  })
})
