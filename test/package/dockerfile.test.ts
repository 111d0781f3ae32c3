import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../src/cli/receiver-port.js'
import { RunningProcess } from '../support/running-process.js'
import { parseDockerfile, stagesOf, type Instruction } from './dockerfile.js'
import { run } from './shell.js'

const root = join(import.meta.dirname, '..', '..')

/** The time limit of two installations and a build. */
const PATIENCE = 600_000

/** The only step that does not run. */
const INSTALLS_ALL = 'npm ci --ignore-scripts --no-audit --no-fund'

/** How long Docker waits for a container to stop. */
const GRACE = 10_000

const instructions = parseDockerfile(readFileSync(join(root, '.github', 'Dockerfile'), 'utf8'))

function only(name: string): Instruction {
  const found = instructions.filter((each) => each.name === name)
  expect(found).toHaveLength(1)
  return found[0]!
}

/** The variables of the image. */
const variables: Record<string, string> = Object.fromEntries(
  only('ENV')
    .text.split(/\s+/)
    .map((pair) => pair.split('=') as [string, string]),
)

describe('the Dockerfile', () => {
  it('ends with a user that is not root, in a folder that belongs to that user', () => {
    const names = instructions.map(({ name }) => name)
    const { text: user } = only('USER')
    expect(user).not.toMatch(/^(?:root|0)\b/)
    expect(names.lastIndexOf('RUN')).toBeLessThan(names.indexOf('USER'))
    const owned = instructions.find(({ text }) => text.includes('chown'))!
    expect(owned.text).toContain(`chown ${user}:${user} /data`)
    const [workdir] = instructions.filter(({ name }) => name === 'WORKDIR').slice(-1)
    expect(workdir!.text).toBe('/data')
  })

  it('starts the emulator as the first process, on the ports that it exposes', () => {
    expect(only('ENTRYPOINT').list?.[0]).toBe('node')
    const exposed = only('EXPOSE').text.split(' ')
    expect(exposed).toContain(variables['SVTRAIN_EMULATOR_PORT'])
    expect(exposed).toContain(variables['SVTRAIN_EMULATOR_INFERENCE_PORT'])
    expect(variables['SVTRAIN_EMULATOR_HOST']).toBe('0.0.0.0')
  })

  it('installs once what the tests of this repository have installed already', () => {
    const installs = instructions.filter(({ text }) => text === INSTALLS_ALL)
    expect(installs.map(({ name }) => name)).toEqual(['RUN'])
  })

  it('gets from its ignore file exactly what it copies', () => {
    const file = readFileSync(join(root, '.github', 'Dockerfile.dockerignore'), 'utf8')
    const [first, ...rules] = file
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    expect(first).toBe('*')
    const sent = rules.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1))
    const copied = instructions
      .filter(({ name, flags }) => name === 'COPY' && flags['from'] === undefined)
      .flatMap(({ text }) => text.split(' ').slice(0, -1))
    expect(sent.toSorted()).toEqual(copied.toSorted())
  })

  it.each(['ADD a b', 'RUN <<EOF', 'ONBUILD RUN true', 'ARG VERSION'])(
    'would not be tested with %s, so the test refuses it',
    (line) => {
      expect(() => parseDockerfile(line)).toThrow('The tests cannot run')
    },
  )
})

describe('the steps of the Dockerfile, in an empty folder', { timeout: PATIENCE }, () => {
  let image: Image
  beforeAll(async () => {
    image = await Image.build()
  }, PATIENCE)
  // It has thousands of files.
  afterAll(() => image.remove(), PATIENCE)

  it('give the folder of the data to the user', () => {
    expect(image.owners).toEqual([`node:node ${image.path('/data')}`])
  })

  it('leave only the package and what it needs at run time', async () => {
    const folder = image.path('/opt/svtrain-emulator')
    const packages = await readdir(join(folder, 'node_modules'))
    expect(packages).toEqual(expect.arrayContaining(['tsx', 'undici', 'zod']))
    for (const name of ['vitest', 'typescript', 'msw', 'express', 'oxfmt']) {
      expect(packages).not.toContain(name)
    }
    expect(await readdir(folder)).not.toContain('src')
  })

  it('start a healthy emulator, which stops at SIGTERM', async () => {
    const { emulator, env, port } = await image.start(['--data', '/data/state'])
    await emulator.says(/^Ready\./m)
    expect(await image.check(env)).toBe(0)

    // Other containers reach it by one of these names.
    for (const name of ['svtrain-emulator', 'emulator']) {
      expect(await statusOf(`GET ${name}:${port}/_emulator/ready`)).toBe(200)
    }
    expect(await statusOf(`GET elsewhere.example:${port}/_emulator/ready`)).toBe(403)
    const [, token] = await emulator.says(/Control token +(\S+)/)
    expect(await statusOf(`POST emulator:${port}/_emulator/reset`)).toBe(401)
    expect(await statusOf(`POST emulator:${port}/_emulator/reset`, token)).toBe(200)

    const asked = performance.now()
    emulator.signal('SIGTERM')
    expect(await emulator.ended()).toBe(0)
    expect(performance.now() - asked).toBeLessThan(GRACE)
    expect(await image.check(env)).toBe(1)
    expect(await readdir(image.path('/data/state'))).not.toEqual([])
  })

  it('let options take the place of variables, and load scenarios in TypeScript', async () => {
    writeFileSync(image.path('/data/mine.ts'), `export default { name: 'mine' as string }\n`)
    const { emulator } = await image.start(['--port', '0', '--scenario', '/data/mine.ts'])
    await emulator.says(/Scenario +mine[^]*^Ready\./m)
    emulator.signal('SIGINT')
    expect(await emulator.ended()).toBe(0)
  })
})

async function statusOf(call: string, token = ''): Promise<number | undefined> {
  const [, method, host, port, path] = /^(\w+) (\S+):(\d+)(\S+)$/.exec(call)!
  return new Promise((resolve, reject) => {
    const headers = { host: `${host}:${port}`, authorization: `Bearer ${token}` }
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject).end()
  })
}

/** What the instructions leave behind. Each stage has a folder, which takes the place of `/`. */
class Image {
  readonly #folder: string
  /** What `chown` would have changed. Only root may change owners. */
  owners: string[] = []

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async build(): Promise<Image> {
    const image = new Image(await mkdtemp(join(tmpdir(), 'svtrain-image-')))
    await image.#writeShim()
    for (const [stage, steps] of stagesOf(instructions)) await image.#run(stage, steps)
    const owners = readFileSync(join(image.#folder, 'owners'), 'utf8')
    image.owners = owners.trim().split('\n')
    return image
  }

  /** The real path of a path in the image. */
  path(path: string, stage = 'final'): string {
    return join(this.#folder, stage, path)
  }

  /** Starts the entry point as Docker does, with other ports. */
  async start(args: readonly string[]) {
    const port = await freePort()
    const inferencePort = await freePort()
    const env = {
      PATH: process.env['PATH'],
      HOME: this.path('/'),
      ...variables,
      SVTRAIN_EMULATOR_PORT: String(port),
      SVTRAIN_EMULATOR_INFERENCE_PORT: String(inferencePort),
    }
    const cwd = this.path('/data')
    const [program, ...words] = [...only('ENTRYPOINT').list!, ...args].map((word) =>
      this.#real(word),
    )
    const emulator = new RunningProcess(program!, words, { cwd, env })
    return { emulator, env, port }
  }

  /** Runs the health check, and returns its exit code. */
  async check(env: NodeJS.ProcessEnv): Promise<number | null> {
    const [program, ...words] = only('HEALTHCHECK').list!
    const checking = new RunningProcess(program!, words, { cwd: this.path('/data'), env })
    return checking.ended()
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true })
  }

  async #run(stage: string, steps: readonly Instruction[]): Promise<void> {
    let workdir = this.path('/', stage)
    await mkdir(workdir, { recursive: true })
    for (const step of steps) {
      if (step.name === 'WORKDIR') {
        workdir = this.path(step.text, stage)
        await mkdir(workdir, { recursive: true })
      } else if (step.name === 'COPY') await this.#copy(step, stage, workdir)
      else if (step.text === INSTALLS_ALL) {
        // It takes a minute, and `npm ci` has installed the same lock file here.
        await symlink(join(root, 'node_modules'), join(workdir, 'node_modules'), 'junction')
      } else if (step.name === 'RUN') {
        const path = [join(this.#folder, 'shims'), process.env['PATH']].join(delimiter)
        await run('sh', ['-euc', this.#real(step.text, stage)], workdir, { PATH: path })
      }
    }
  }

  async #copy({ text, flags }: Instruction, stage: string, workdir: string): Promise<void> {
    const words = text.split(' ')
    const to = words.pop()!
    const { from } = flags
    const target = to.startsWith('/') ? this.path(to, stage) : join(workdir, to)
    for (const word of words) {
      const source = from === undefined ? join(root, word) : this.path(word, from)
      await cp(source, to.endsWith('/') ? join(target, basename(word)) : target, {
        recursive: true,
        filter: (path) => !path.endsWith('.generated.json'),
      })
    }
  }

  /** Replaces absolute paths of the image. */
  #real(text: string, stage = 'final'): string {
    return text.replaceAll(/(?<=^| )\/(?:build|data|opt)\b/g, (path) => this.path(path, stage))
  }

  async #writeShim(): Promise<void> {
    const shims = join(this.#folder, 'shims')
    await mkdir(shims)
    const chown = join(shims, 'chown')
    writeFileSync(chown, `#!/bin/sh\necho "$*" >> "${join(this.#folder, 'owners')}"\n`)
    chmodSync(chown, 0o755)
  }
}
