import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { clientOf } from '../support/api-client.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { assertBuilt, Command, type CommandOptions } from './command.js'
import { run } from './commands.js'
import { endedInProcess, type Ended } from './in-process.js'
import { listening } from './listening.js'

beforeAll(assertBuilt)

const request = `
  const { SVTRAIN_BASE_URL: base, SVTRAIN_API_KEY: key } = process.env
  await fetch(base + '/preview/nothing', { headers: { authorization: 'Bearer ' + key } })
`

/** Runs a program of Node's by `exec` in a process of its own. */
function exec(program: string, options: readonly string[], started?: CommandOptions): Command {
  const node = ['node', '--input-type=module', '-e', program]
  return new Command(['exec', ...options, '--', ...node], started)
}

/** The same in this process, for a program that prints nothing. */
function execHere(program: string, options: readonly string[]): Promise<Ended> {
  const node = ['node', '--input-type=module', '-e', program]
  return endedInProcess(['exec', ...options, '--', ...node], { cwd: temporaryFolder() })
}

describe('exec --report and --har', () => {
  it('quotes the end of what the command printed to stderr, which the terminal has too', async () => {
    const file = join(temporaryFolder(), 'report.html')
    const script = `
      console.log('step 1')
      for (let line = 1; line <= 40; line++) console.error('line ' + line)
      console.error('key ' + process.env.SVTRAIN_API_KEY + ' ' + process.env.OTHER_API_KEY)
      process.exitCode = 1
    `
    const options = ['--report', file, '--api-key', 'a-key-of-mine']
    const env = { OTHER_API_KEY: 'a-real-key-of-another-service' }
    const command = exec(script, options, { env })
    expect(await command.ended()).toBe(1)
    expect(command.stdout).toBe('step 1\n')
    expect(command.stderr).toMatch(/^line 1\n(line \d+\n){39}key a-key-of-mine a-real-key-.*\n/m)
    const page = readFileSync(file, 'utf8')
    expect(page).toMatch(/The last lines of its stderr:\nline 12\n(line \d+\n){28}key /)
    expect(page).not.toMatch(/a-key-of-mine|a-real-key/)
    expect(await exec(script, [...options, '--without-contents']).ended()).toBe(1)
    expect(readFileSync(file, 'utf8')).not.toContain('line 12')
  })

  it('writes both files when the command fails, and exits with its code', async () => {
    const folder = join(temporaryFolder(), 'new')
    const files = { page: join(folder, 'report.html'), har: join(folder, 'requests.har') }
    const program = `${request}; process.exitCode = 3`
    const options = ['--report', files.page, '--har', files.har, '--seed', '5']
    const { code, stderr } = await execHere(program, options)
    expect(code).toBe(3)
    expect(stderr).toContain(`Wrote the report to ${files.page}.`)
    expect(stderr).toContain(`Wrote the HAR file to ${files.har}.`)
    const page = readFileSync(files.page, 'utf8')
    expect(page).toMatch(
      /<pre>\nProbable cause: 404 GET .*\nThe command exited with code 3\. It ran for /,
    )
    expect(page).toContain('GET /v1/preview/nothing')
    expect(page).toContain('npx svtrain-emulator exec --scenario happy-path --seed 5 -- node')
    const { log } = JSON.parse(readFileSync(files.har, 'utf8'))
    expect(log.entries).toMatchObject([{ response: { status: 404 } }])
  })

  it('writes them when the command passes, and a failed write changes no exit code', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'report.html')
    const options = ['--report', file, '--har', folder, '--isolate', 'api-key']
    const { code, stderr } = await execHere(request, options)
    expect(code).toBe(0)
    expect(stderr).toMatch(/^Failed to write the HAR file to .+: EISDIR/m)
    expect(readFileSync(file, 'utf8')).not.toContain('Why it failed')
  })
})

describe('svtrain-emulator report', () => {
  it('writes the page and the HAR file of a running emulator', async () => {
    const emulator = await listening()
    await clientOf(emulator).get('/preview/nothing')
    const folder = temporaryFolder()
    const [page, har] = [join(folder, 'page.html'), join(folder, 'requests.har')]
    const url = `--emulator ${emulator.trainingUrl}`
    const next = 'Next: npx svtrain-emulator scenarios from'
    const { code, stdout } = await run(`report ${url} --har ${har} --without-contents`)
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Wrote the HAR file to ${har}.\n${next} ${har} --to incident.yaml`,
    })
    expect(JSON.parse(readFileSync(har, 'utf8')).log.version).toBe('1.2')
    expect(existsSync(page)).toBe(false)
    expect((await run(`report ${url} --to ${page}`)).stdout).toBe(
      `Wrote the report to ${page}.\n${next} ${page} --to incident.yaml`,
    )
    expect(readFileSync(page, 'utf8')).toContain('GET /v1/preview/nothing')
  })

  it('says so if the file cannot be written', async () => {
    const emulator = await listening()
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'folder.html'))
    writeFileSync(join(folder, 'file'), '')
    for (const page of [join(folder, 'folder.html'), join(folder, 'file', 'page.html')]) {
      expect(await run(`report --url ${emulator.trainingUrl} --to ${page}`)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`Failed to write the report to ${page}: `),
      })
    }
  })
})
