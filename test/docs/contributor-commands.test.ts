import { copyFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { endedInProcess } from '../cli/in-process.js'
import { contributorCommands, runsInClone, runsInProcess } from '../support/contributor-commands.js'
import { root } from '../support/pages.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/**
 * The commands of AGENTS.md and docs/contributing.md: their scripts, files and options exist. Those that
 * take seconds run in a clone, where npx starts the emulator as well: test/package/clone.test.ts.
 */

const GATE = '.ci/run, in a clone'

/** What runs each of the others, or why nothing does. */
const elsewhere: Readonly<Record<string, string>> = {
  'npm ci': GATE,
  'npm test': GATE,
  'npm run check': GATE,
  'npm run test:browser': GATE,
  'npm run test:thorough': GATE,
  'npm run test:commands': GATE,
  'npm run test:examples': GATE,
  'npm run test:node': GATE,
  'npm run test:package': GATE,
  'npm run conformance': GATE,
  'npm run test:soak': GATE,
  'npm run release:check': GATE,
  'npx tsc': 'it is a part of npm run check',
  'npm run generate': 'test/docs/reference.test.ts reads all that it would write',
  'npm run build': 'test/package/clone.test.ts runs what the script runs',
  'npx vitest run test/service/api': 'test/package/clone.test.ts, with one file',
  'npx vitest run test/webhooks': 'test/package/clone.test.ts, with one file',
  'bash .ci/run': 'it is the gate',
  'bash .ci/long': 'it takes hours',
  'npm run conformance:framework': 'bash .ci/long',
  'npm run test:loops': '.ci/long',
  'npm run soak -- --only fuzz --count 300000 --seed 7': '.ci/long, with each kind of inputs',
  'python scripts/generate.py': 'python/tests/test_client.py compares what it writes',
  'npm run build:python': 'npm run release:check builds the wheel in the same way',
  'npm run bench': 'it takes 25 minutes, and needs an idle machine',
  'npm run interop:matrix': 'it takes minutes, and installs many versions of a client',
  'npm run interop:tokenizers': '.ci/long',
  'npm run interop:estimates': '.ci/long',
  'npm run conformance -- --update': 'the gate runs it without the option, which writes a page',
  'npm run conformance -- test/interop/endings.test.ts': 'the gate runs this file with all others',
  'npm run conformance -- test/interop/mistakes.test.ts': 'the gate runs this file with all others',
  'bash .ci/long checks': 'the gate runs these tests with three seeds',
  'npx vitest run test/browser/worker.test.ts': 'npm run test:browser runs it with all others',
  'WRITE_PICTURE=1 npx vitest run test/browser/dashboard-picture.test.ts':
    'npm run test:browser runs it without the variable, which writes a picture',
  'npx vitest run test/service/scenario/built-in-scenarios.test.ts':
    'npm test runs it with all others',
  'npm run explore:mutants':
    'test/tools/explore/mutants/mutants.test.ts tries a few of its mutants',
  'npx tsx test/interop/hostile/run.ts --seed 77 --count 20000':
    'npm run conformance sends fewer of these requests',
  'npx svtrain-emulator explore -- node loop.mjs': 'commands.test.ts, with a loop that exists',
  'npx svtrain-emulator explore --crash -- node loop.mjs':
    'commands.test.ts, with a loop that exists',
  'npx svtrain-emulator preflight -- node loop.mjs': 'commands.test.ts, with a loop that exists',
  'npx svtrain-emulator check-receiver <url>': 'commands.test.ts, with a receiver that runs',
  'npx svtrain-emulator mcp': 'test/cli/mcp.test.ts: it runs until its caller ends it',
}

const commands = contributorCommands()

describe('the commands for those who change the emulator', () => {
  it('are all checked', () => {
    const checked = [elsewhere, runsInClone, runsInProcess].flatMap(Object.keys)
    expect(
      commands.filter((command) => !checked.includes(command)),
      'Add it to runsInClone or runsInProcess in test/support/contributor-commands.ts, or to `elsewhere` in this file with a reason',
    ).toEqual([])
    expect(
      checked.filter((command) => !commands.includes(command)),
      'No page has it any more: remove it from this file, or from test/support/contributor-commands.ts',
    ).toEqual([])
  })

  it.each(Object.values(runsInProcess))('the emulator runs %s', async (command) => {
    const cwd = temporaryFolder()
    copyFileSync(join(root, 'scenarios', 'failing-job.yaml'), join(cwd, 'mine.yaml'))
    const env = { HOME: cwd }
    const { code, stdout, stderr } = await endedInProcess(command.split(' '), { cwd, env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toBe('')
  })

  const ofGate = Object.entries(elsewhere).flatMap(([name, where]) => (where === GATE ? name : []))
  it.each(ofGate)('%s runs in the gate', (command) => {
    const script = command.replace(/^npm (?:run )?/, '')
    const project = script.replace('test:', '')
    const steps = [
      `step '${command}' ${command}`,
      `step '.+' ${command} -- .+`,
      `suite ${script}`,
      `suite test:files --project=\\{(?:.*,)?${project}(?:,.*)?\\}`,
    ]
    const gate = readFileSync(join(root, '.ci', 'run'), 'utf8')
    expect(gate).toMatch(new RegExp(`^ *(?:${steps.join('|')})(?: \\|\\| .*)?$`, 'm'))
  })

  it.each(commands.filter((command) => /^(?:npm run|npx tsx|bash) /.test(command)))(
    '%s has a script that takes its options',
    (command) => {
      const [, script = command] = /^npm run ([\w:]+)/.exec(command) ?? []
      const line = (manifest.scripts as Readonly<Record<string, string>>)[script] ?? script
      if (command.startsWith('npm run ')) expect(manifest.scripts).toHaveProperty([script])
      const files = line.match(/\S+\.ts\b|\.ci\/\w+/g) ?? []
      // What `vitest` selects: test/build/introduction.test.ts.
      expect(files.length > 0 || /^(?:vitest run|python3) /.test(line)).toBe(true)
      expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
      const options = Array.from(command.matchAll(/ --([a-z][\w-]*)/g), ([, name]) => name!)
      const declared = files.map((file) => readFileSync(join(root, file), 'utf8')).join('')
      // Vitest has an option for golden files.
      const known = line.startsWith('vitest ') ? 'update: { type' : declared
      for (const option of options) expect(known).toMatch(new RegExp(`\\b${option}'?: \\{ type`))
    },
  )

  it.each(commands.filter((command) => command.includes('npx vitest run ')))(
    '%s selects tests',
    (command) => {
      const words = command.split('npx vitest run ')[1]!.split(' ')
      const paths = words.filter((word) => !word.startsWith('-'))
      // A word after -u would be its value.
      expect(['', '-u', '--no-isolate']).toContain(words.slice(paths.length).join(' '))
      expect(words.slice(0, paths.length)).toEqual(paths)
      for (const path of paths) {
        const files = statSync(join(root, path)).isFile()
          ? [path]
          : readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
        expect(files.filter((file) => file.endsWith('.test.ts'))).not.toEqual([])
      }
    },
  )
})
