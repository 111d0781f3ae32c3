import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { version } from '../../src/base/text/version.js'
import type { Machine } from '../../src/cli/doctor/check.js'
import { diagnose } from '../../src/cli/doctor/diagnose.js'
import { thisMachine } from '../../src/cli/doctor/machine.js'
import { doctorLines } from '../../src/cli/report/doctor-lines.js'
import { hasIpv6 } from '../emulator/adapters/ipv6.js'
import { served } from '../support/served.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { run } from './commands.js'
import { listening } from './listening.js'

/** A machine on which nothing is wrong. */
function machine(changes: Partial<Machine> = {}): Machine {
  return {
    environment: {},
    folder: '/',
    program: 'npx svtrain-emulator',
    version,
    node: '24.4.0',
    temporaryFolder: temporaryFolder(),
    ownHosts: ['my-laptop', '192.168.7.8', 'fd00::8'],
    answersAt: () => Promise.resolve('nobody'),
    refusesKey: () => Promise.resolve(false),
    addressesOf: () => Promise.resolve(['127.0.0.1', '::1']),
    pythonPackages: () => Promise.resolve({}),
    ...changes,
  }
}

/** The training port of an emulator that serves below a base path. */
const TRAINING_PORT = {
  api: 'training',
  training: 'http://127.0.0.1:4600/api/v1',
  inference: 'http://127.0.0.1:4601/api/v1',
} as const

/** What is wrong, and the repair of each problem. */
async function wrongWith(changes: Partial<Machine>): Promise<Record<string, string>> {
  const found = await diagnose(machine(changes))
  const problems = found.flatMap((each) => each.problems)
  return Object.fromEntries(problems.map(({ what, repair }) => [what, repair]))
}

/** As `wrongWith` has one problem alone. */
function onlyProblem(what: RegExp, repair: string): [unknown, unknown][] {
  return [[expect.stringMatching(what), expect.stringContaining(repair)]]
}

/** What is wrong with variables where other ports do not matter, by what answers on this machine. */
function wrongHere(variables: Record<string, string>): Promise<Record<string, string>> {
  const environment = { ...FREE_PORTS, ...variables }
  const { answersAt, refusesKey } = thisMachine({ environment, program: 'npx svtrain-emulator' })
  return wrongWith({ environment, answersAt, refusesKey })
}

function withPython(packages: Record<string, string>): Partial<Machine> {
  return { pythonPackages: () => Promise.resolve(packages) }
}

/** A machine where another server has these ports. */
function takenPorts(...ports: number[]): Pick<Machine, 'answersAt'> {
  const who = (port: number) => (ports.includes(port) ? 'another server' : 'nobody')
  return { answersAt: (port) => Promise.resolve(who(port)) }
}

/** A folder with a package of this version. */
function projectWith(name: string, installed: string): string {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'node_modules', name), { recursive: true })
  const manifest = JSON.stringify({ name, version: installed })
  writeFileSync(join(folder, 'node_modules', name, 'package.json'), manifest)
  return folder
}

/** With these ports, nothing depends on what else listens on this machine. */
const FREE_PORTS = {
  SVTRAIN_EMULATOR_PORT: '0',
  SVTRAIN_EMULATOR_INFERENCE_PORT: '0',
  SVTRAIN_EMULATOR_SINK: 'true',
  SVTRAIN_EMULATOR_SINK_PORT: '0',
}

const EXEC = 'npx svtrain-emulator exec'

describe('doctor', () => {
  it('finds nothing on a machine that is well', async () => {
    const found = await diagnose(machine())
    const lines = doctorLines(found, { paint: (_, text) => text })
    expect(lines.slice(0, 4)).toEqual([
      'ok     Node 24.4.0 is supported.',
      expect.stringMatching(/^ok {5}localhost is 127\.0\.0\.1 and ::1, and .+ takes files\.$/),
      'ok     Ports. Free: 4600, 4601, 4610.',
      'ok     No variable names an address.',
    ])
    expect(lines.at(-1)).toBe('Nothing is wrong.')
  })

  it.each<[environment: Record<string, string>, what: RegExp, repair: string]>([
    [
      { SVTRAIN_BASE_URL: '127.0.0.1:4600/v1' },
      /"127\.0\.0\.1:4600\/v1", which is not a URL/,
      'http://127.0.0.1:4600/v1',
    ],
    [
      { SVTRAIN_BASE_URL: 'localhost:4600/v1' },
      /"localhost:4600\/v1", which is not a URL that begins with http:\/\/ or https:\/\/\.$/,
      'http://127.0.0.1:4600/v1',
    ],
    [
      { SVTRAIN_BASE_URL: 'me:pass@127.0.0.1/v1?token=secret' },
      /"127\.0\.0\.1\/v1\?token=\[not shown\]", which is not a URL/,
      'http://127.0.0.1:4600/v1',
    ],
    [
      { WANDB_BASE_URL: 'https://me:pass@api.example.com/x' },
      /^WANDB_BASE_URL leads to api\.example\.com, which is another machine\.$/,
      `env -u WANDB_BASE_URL ${EXEC} -- <command>`,
    ],
    [
      { OPENAI_BASE_URL: 'http://localhost:4711/v1' },
      /leads to http:\/\/localhost:4711\/v1, where nobody listens/,
      'npx svtrain-emulator --port 4711',
    ],
    [
      { WANDB_API_KEY: 'a'.repeat(40) },
      /^WANDB_API_KEY is set\.$/,
      `${EXEC} --intercept -- <command>`,
    ],
    [{ WANDB_API_KEY: 'local' }, /has fewer than 40 characters/, `${EXEC} -- <command>`],
    [{ WANDB_MODE: 'offline' }, /^WANDB_MODE is offline\.$/, 'unset WANDB_MODE'],
    [
      { SVTRAIN_EMULATOR_SCENARO: 'failing-job' },
      /Did you mean SVTRAIN_EMULATOR_SCENARIO\?/,
      'Correct it',
    ],
    [
      { SVTRAIN_EMULATOR_PORT: 'abc' },
      /^SVTRAIN_EMULATOR_PORT takes a whole number from 0 to 65535, not "abc"\.$/,
      'Correct it',
    ],
    [
      { HTTP_PROXY: 'http://proxy.example:3128', NO_PROXY: 'localhost' },
      /^HTTP_PROXY is set, and NO_PROXY does not name 127\.0\.0\.1\.$/,
      'export NO_PROXY=127.0.0.1,localhost',
    ],
    [
      { SSL_CERT_FILE: '/nowhere/ca.pem' },
      /^SSL_CERT_FILE names \/nowhere\/ca\.pem, where no certificate is\.$/,
      'unset SSL_CERT_FILE',
    ],
    [
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      /^NODE_TLS_REJECT_UNAUTHORIZED is 0\.$/,
      'unset NODE_TLS_REJECT_UNAUTHORIZED',
    ],
  ])('names what is wrong with %j, and the repair', async (environment, what, repair) => {
    expect(Object.entries(await wrongWith({ environment }))).toEqual(onlyProblem(what, repair))
  })

  it.each(['0.0.0.0', '[::]', '192.168.7.8', '[fd00:0::8]', 'My-Laptop', 'my-laptop.'])(
    'looks for an emulator at %s, which is this machine',
    async (host) => {
      const environment = { OPENAI_BASE_URL: `http://${host}:4711/v1` }
      const wrong = await wrongWith({ environment })
      expect(Object.entries(wrong)).toEqual(
        onlyProblem(/:4711\/v1, where nobody listens\.$/, 'env -u OPENAI_BASE_URL'),
      )
    },
  )

  it.each([
    'http://127.0.0.1:4600/api',
    'http://127.0.0.1:4600/v1',
    'https://127.0.0.1:4600/api/v1',
  ])('names %s, which is not the address of the API', async (url) => {
    const environment = { SVTRAIN_BASE_URL: url }
    const answersAt = () => Promise.resolve(TRAINING_PORT)
    const what = /, and its API is at http:\/\/127\.0\.0\.1:4600\/api\/v1\.$/
    const repair = 'export SVTRAIN_BASE_URL=http://127.0.0.1:4600/api/v1'
    const wrong = await wrongWith({ environment, answersAt })
    expect(Object.entries(wrong)).toEqual(onlyProblem(what, repair))
  })

  it.each<[setup: string, changes: () => Partial<Machine>, what: RegExp, repair: string]>([
    ['an old Node', () => ({ node: '20.18.1' }), /^Node 20\.18\.1 is not/, '^20.19.0'],
    [
      'a localhost that is elsewhere',
      () => ({ addressesOf: () => Promise.resolve(['10.0.0.7']) }),
      /^localhost is 10\.0\.0\.7, which is not a loopback address\.$/,
      '127.0.0.1 localhost',
    ],
    [
      'a temporary folder that is gone',
      () => ({ temporaryFolder: '/nowhere/tmp' }),
      /^The temporary folder \/nowhere\/tmp is missing/,
      'export TMPDIR=',
    ],
    [
      'an old MSW',
      () => ({ folder: projectWith('msw', '2.4.9') }),
      /^msw 2\.4\.9 is not supported\.$/,
      "npm install --save-dev 'msw@^2.11.0 || ^3.0.0'",
    ],
    [
      'a project with another version of the emulator',
      () => ({ folder: projectWith('svtrain-emulator', '0.1.0') }),
      /and the project has 0\.1\.0\.$/,
      `npm install --save-dev svtrain-emulator@${version}`,
    ],
    [
      'clients that do not run together',
      () => withPython({ 'openpipe-art': '0.5.18', openai: '3.0.1' }),
      /^openpipe-art 0\.5\.18 does not run with openai 3\.0\.1\.$/,
      'pip install openai==2.54.0',
    ],
    [
      'a client that is too old',
      () => withPython({ wandb: '0.16.6' }),
      /^wandb 0\.16\.6 is older/,
      "pip install 'wandb>=0.19.11'",
    ],
  ])('names %s, and the repair', async (_, changes, what, repair) => {
    expect(Object.entries(await wrongWith(changes()))).toEqual(onlyProblem(what, repair))
  })

  it('takes the build of a client, and what follows its release, for no older one', async () => {
    const clients = { wandb: '0.19.11.post1', 'openpipe-art': '0.5.20+local' }
    expect(await wrongWith(withPython(clients))).toEqual({})
  })

  it('takes no variable but SSL_CERT_DIR for a list of paths', async () => {
    const environment = { SSL_CERT_FILE: '/nowhere/a:b', SSL_CERT_DIR: `/c${delimiter}/d` }
    expect(Object.keys(await wrongWith({ environment }))).toEqual([
      'SSL_CERT_FILE names /nowhere/a:b, where no certificate is.',
      'SSL_CERT_DIR names /c, where no certificate is.',
      'SSL_CERT_DIR names /d, where no certificate is.',
    ])
  })

  it('tells an emulator from another server at the port that a variable names', async () => {
    const { trainingUrl, inferenceUrl } = await listening()
    const right = { SVTRAIN_BASE_URL: trainingUrl, SVTRAIN_INFERENCE_URL: inferenceUrl }
    expect(await wrongHere(right)).toEqual({})
    const stranger = `${await served((_request, response) => response.end())}/v1`
    const inIpv6 = stranger.replace('127.0.0.1', '[::ffff:7f00:1]')
    for (const url of hasIpv6 ? [stranger, inIpv6] : [stranger]) {
      const [what] = Object.keys(await wrongHere({ SVTRAIN_BASE_URL: url }))
      expect(what).toBe(`SVTRAIN_BASE_URL leads to ${url}, where another server answers.`)
    }
  })

  it('names a key that the emulator refuses, without the key', async () => {
    const { trainingUrl } = await listening({ apiKeys: ['right-key'] })
    const wrongOf = async (key: string): Promise<string> => {
      return JSON.stringify(
        await wrongHere({ SVTRAIN_BASE_URL: trainingUrl, SVTRAIN_API_KEY: key }),
      )
    }
    expect(await wrongOf('right-key')).toBe('{}')
    const wrong = await wrongOf('wrong-key')
    expect(wrong).toContain(`The emulator at ${trainingUrl} refuses the key in SVTRAIN_API_KEY.`)
    expect(wrong).not.toContain('wrong-key')
  })

  it('asks an emulator at an address of this machine about the key, too', async () => {
    const SVTRAIN_BASE_URL = 'http://192.168.7.8:4600/api/v1'
    const wrong = await wrongWith({
      environment: { SVTRAIN_BASE_URL, SVTRAIN_API_KEY: 'wrong-key' },
      answersAt: () => Promise.resolve(TRAINING_PORT),
      refusesKey: () => Promise.resolve(true),
    })
    const what = `The emulator at ${SVTRAIN_BASE_URL} refuses the key in SVTRAIN_API_KEY.`
    expect(Object.keys(wrong)).toContain(what)
  })

  it('names the other API of the emulator if a variable leads to the wrong one', async () => {
    const { trainingUrl, inferenceUrl } = await listening({ basePath: '/api' })
    const wrong = await wrongHere({
      SVTRAIN_BASE_URL: inferenceUrl,
      SVTRAIN_INFERENCE_URL: trainingUrl,
      SVTRAIN_CONTROL_URL: new URL('/_emulator', inferenceUrl).href,
      WANDB_BASE_URL: inferenceUrl.replace('/v1', ''),
      OPENAI_BASE_URL: trainingUrl,
    })
    expect(Object.keys(wrong)[0]).toBe(
      `SVTRAIN_BASE_URL leads to ${inferenceUrl}, where the inference API of an emulator answers.`,
    )
    expect(Object.values(wrong)).toEqual([
      `export SVTRAIN_BASE_URL=${trainingUrl}`,
      `export SVTRAIN_INFERENCE_URL=${inferenceUrl}`,
      `export SVTRAIN_CONTROL_URL=${new URL('/_emulator', trainingUrl).href}`,
      `export WANDB_BASE_URL=${trainingUrl.replace('/v1', '')}`,
    ])
  })

  it('looks at the ports and at the scenario with which an emulator starts here', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'svtrain.config.yaml'), 'port: 4777\ninference-port: 0\n')
    const scenario = join(folder, 'mine.yaml')
    const environment = { SVTRAIN_EMULATOR_SCENARIO: scenario }
    const changes = { folder, ...takenPorts(4777, 4877), environment }
    const [taken, missing] = (await diagnose(machine(changes))).flatMap((each) => each.problems)
    expect(taken).toEqual({
      what: 'Another server listens on port 4777.',
      effect:
        'The emulator does not start, and a program that calls 4777 reaches the other server.',
      repair: 'Stop that server, or choose a port for both: npx svtrain-emulator --port 4878',
    })
    expect(missing!.what).toContain('there is no such file')
    writeFileSync(scenario, 'name: mine\nfaultz: []')
    expect(Object.keys(await wrongWith({ environment }))).toEqual([
      expect.stringContaining('unknown key "faultz"'),
    ])
    writeFileSync(scenario, 'name: mine')
    const found = await diagnose(machine({ environment }))
    expect(found.map(({ fine }) => fine)).toContain(
      'Each SVTRAIN_EMULATOR_ variable sets an option. mine.yaml is a valid scenario.',
    )
  })

  it('names a free port below the last one', async () => {
    const environment = { ...FREE_PORTS, SVTRAIN_EMULATOR_PORT: '65500' }
    const [repair] = Object.values(await wrongWith({ environment, ...takenPorts(65_500, 65_400) }))
    expect(repair).toBe(
      'Stop that server, or choose a port for both: npx svtrain-emulator --port 65399',
    )
  })

  it('does not start an emulator on a port that another server has', async () => {
    const environment = { SVTRAIN_INFERENCE_URL: 'http://localhost:4711/v1' }
    const repairs = async (...ports: number[]) => {
      return Object.values(await wrongWith({ environment, ...takenPorts(...ports) }))
    }
    expect(await repairs()).toEqual([
      expect.stringContaining('npx svtrain-emulator --inference-port 4711'),
    ])
    expect(await repairs(4711)).toEqual([
      `Unset it, and let exec set it: env -u SVTRAIN_INFERENCE_URL ${EXEC} -- <command>`,
    ])
  })

  it('looks at this machine, and prints what it found as JSON', async () => {
    const { code, stdout } = await run('doctor --json')
    const found = JSON.parse(stdout) as { check: string; problems: unknown[] }[]
    expect(found.map(({ check }) => check)).toContain('python packages')
    expect(code).toBe(found.some(({ problems }) => problems.length > 0) ? 1 : 0)
  })
})
