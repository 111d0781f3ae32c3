import { copyFileSync, mkdirSync, rmSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, start } from '../../cli/command.js'
import { endedInProcess, serveInProcess } from '../../cli/in-process.js'
import { root } from '../../support/pages.js'
import { RunningProcess } from '../../support/running-process.js'
import { served } from '../../support/served.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import type { Reproductions } from './reproduction.js'

/** Runs the command to its end. Returns its output. It needs a process if it starts another one, or serves on a port. */
async function outputOf(args: readonly string[], cwd = root): Promise<string> {
  if (args.includes('--') || args.includes('--port')) {
    const command = new Command(args, { cwd })
    await command.ended()
    return command.output
  }
  if (args[0]?.startsWith('--scen')) return refusalOf(args, cwd)
  const { stdout, stderr } = await endedInProcess(args, { cwd })
  return stdout + stderr
}

/** What the emulator says if it cannot be served with these options. */
async function refusalOf(args: readonly string[], cwd: string): Promise<string> {
  const error: unknown = await serveInProcess(args, { cwd }).catch((caught: unknown) => caught)
  return String(error)
}

/** Whether the emulator can be served with these options. */
async function starts(args: readonly string[], cwd = root): Promise<boolean> {
  const ports = ['--port', '0', '--inference-port', '0']
  const { said, stop } = await serveInProcess([...ports, ...args], { cwd })
  await stop()
  return /^Ready\./m.test(said.stdout)
}

const mine = (event: string): string => `name: mine
jobs:
  - timeline:
      - event: training_started
      - event: ${event}
      - event: training_ended
`

export const command: Reproductions = {
  'dist/cli.js is missing': async () => {
    const clone = temporaryFolder()
    mkdirSync(join(clone, 'bin'))
    for (const file of ['package.json', join('bin', 'svtrain-emulator.js')]) {
      copyFileSync(join(root, file), join(clone, file))
    }
    const program = [join(clone, 'bin', 'svtrain-emulator.js'), '--version']
    const unbuilt = new RunningProcess(process.execPath, program, { cwd: clone, env: {} })
    await unbuilt.ended()
    return { said: unbuilt.output, isFixed: (await outputOf(['--version'])).startsWith('0.') }
  },

  'npm error code ENOENT': async () => {
    const project = temporaryFolder()
    const cache = join(project, 'cache')
    const bin = { 'svtrain-emulator': 'cli.js' }
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'svtrain-emulator', bin }))
    writeFileSync(join(project, 'cli.js'), '#!/usr/bin/env node\nconsole.log("It runs.")\n', {
      mode: 0o755,
    })
    const npx = async (): Promise<string> => {
      const args = ['--offline', '--cache', cache, 'svtrain-emulator']
      const { PATH } = process.env
      const ran = new RunningProcess('npx', args, { cwd: project, env: { PATH, HOME: project } })
      await ran.ended()
      return ran.output
    }
    await npx()
    const [folder = ''] = readdirSync(join(cache, '_npx'))
    // What a Ctrl-C at the wrong moment leaves behind.
    rmSync(join(cache, '_npx', folder, 'package.json'))
    const said = await npx()
    rmSync(join(cache, '_npx', folder), { recursive: true })
    return { said, isFixed: (await npx()).includes('It runs.') }
  },

  'it is in use by another program': async () => {
    const { port } = new URL(await served(() => {}))
    const said = await outputOf(['--port', port, '--inference-port', '0'])
    return { said, isFixed: await starts([]) }
  },

  'Unknown scenario "failing-jobs". Did you mean "failing-job"?': async () => ({
    said: await outputOf(['--scenario', 'failing-jobs']),
    isFixed: (await outputOf(['scenarios', 'list'])).includes('failing-job '),
  }),

  'Failed to read the scenario mine.yaml: there is no such file': async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'mine.yaml'), mine('gradient_step'))
    const said = await outputOf(['--scenario', './mine.yaml'])
    return { said, isFixed: await starts(['--scenario', './mine.yaml'], folder) }
  },

  '"gradient_stepp" is not allowed here': async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'mine.yaml')
    writeFileSync(file, mine('gradient_stepp'))
    const said = await outputOf(['--scenario', file])
    const checked = await outputOf(['scenarios', 'check', file])
    writeFileSync(file, mine('gradient_step'))
    const again = await outputOf(['scenarios', 'check', file])
    return {
      said,
      isFixed: checked.includes('Did you mean "gradient_step"?') && again.includes('fine'),
    }
  },

  'The command follows two dashes': async () => ({
    said: await outputOf(['exec', 'npm', 'test']),
    isFixed: (await outputOf(['exec', '--', 'node', '--version'])).includes(process.version),
  }),

  'Failed to open ./world: process … is using it': async () => {
    const folder = temporaryFolder()
    const first = start(['--data', './world'], { cwd: folder })
    await first.ready()
    const said = await outputOf(['--data', './world', '--port', '0'], folder)
    first.signal('SIGINT')
    await first.ended()
    return { said, isFixed: await starts(['--data', './world'], folder) }
  },
}
