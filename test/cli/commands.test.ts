import { writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { entriesOf } from '../../src/cli/command.js'
import { commandGroups } from '../../src/cli/commands/index.js'
import { elsewhere } from '../../src/cli/elsewhere.js'
import { createEmulator } from '../../src/index.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { refused, run, workIn } from './commands.js'
import { refusal, settings } from './parsed.js'

const workers = entriesOf(commandGroups).flatMap((each) => {
  const { commands = [] } = each
  return commands.length > 0 ? commands : [each]
})

it.each(workers)('$name shows in its help how it is used', ({ name, examples = [] }) => {
  expect(examples.length, `${name} has no \`examples\``).toBeGreaterThan(0)
})

describe('the first argument', () => {
  it.each(['', '--port 0', '--scenario play'])('"%s" serves the emulator', async (line) => {
    expect(await settings(line)).toHaveProperty('scenario')
  })

  it.each([
    [
      'constructor',
      'Unexpected argument "constructor". There is no such command. The command help lists all.',
    ],
    ['plya', 'Unexpected argument "plya". Did you mean play?'],
    ['scenario', 'Unexpected argument "scenario". Did you mean scenarios?'],
    [
      '--port 1 plya',
      'Unexpected argument "plya". There is no such command. The command help lists all.',
    ],
    [
      'deliveries',
      'Unexpected argument "deliveries". There is no such command. For deliveries: svtrain-emulator trace, or curl http://127.0.0.1:4600/_emulator/deliveries',
    ],
    [
      'webhook resend',
      'Unexpected argument "webhook". There is no such command. For resend: curl -X POST http://127.0.0.1:4600/_emulator/deliveries/resend, or svtrain-emulator sink replay for what a sink recorded',
    ],
  ])('refuses %s as an unknown command', async (line, message) => {
    expect(await refusal(line)).toBe(message)
  })

  it.each(Object.entries(elsewhere))('leads %s to what exists', async (word, text) => {
    const names = entriesOf(commandGroups).map(({ name }) => name)
    expect(names, 'src/cli/elsewhere.ts says that there is no such command').not.toContain(word)
    const emulator = createEmulator({ clock: 'manual' })
    onTestFinished(() => emulator.close())
    const [, post, path, body] = /curl (-X POST )?\S+4600(\S+?)(?=,|\s|$)(?: -d '(.+)')?/.exec(
      text,
    )!
    const method = post ? 'POST' : 'GET'
    const url = `${emulator.trainingUrl.replace('/v1', '')}${path}`
    expect((await emulator.fetch(url, { method, body: body ?? null })).status).toBe(200)
  })

  it.each([
    ['play', 'play takes a name or a file; none was given.'],
    [
      'trace --delivery x',
      'Unknown option "--delivery". trace has --emulator, --control-token, --world, --job, --all, --checks, --lineage, --checkpoint, --json.',
    ],
    ['play sft --jsno', 'Unknown option "--jsno". Did you mean --json?'],
    ['play sft more', 'Unexpected argument "more". play takes a name or a file.'],
    [
      'scenarios',
      expect.stringMatching(
        /^scenarios takes a command:\n {2}scenarios list {4,}List the .*(?:\n {2}scenarios (?:show|check|new|from|schema) +\w.*){5}$/,
      ),
    ],
    ['scenarios shwo', 'Unknown command "scenarios shwo". Did you mean scenarios show?'],
    [
      'scenarios xyzzy-plugh',
      'Unknown command "scenarios xyzzy-plugh". There are: list, show, check, new, from, schema.',
    ],
    ['scenarios list x', 'Unexpected argument "x". scenarios list takes none.'],
    ['scenarios check', 'scenarios check takes one or more files; none was given.'],
    ['scenarios new', 'scenarios new takes a name; none was given.'],
    ['scenarios schema --settings emacs', '--settings takes "vscode" or "jetbrains", not "emacs".'],
    [
      'scenarios schema --write',
      '--write and --files need --settings vscode or --settings jetbrains.',
    ],
    ['completion bsh', 'completion takes "bash" or "zsh", not "bsh". Did you mean "bash"?'],
  ])('%s is refused, with the command whose help says more', async (line, message) => {
    const [, command] = /^(play|trace|completion|scenarios(?: (?:list|check|new|schema))?)/.exec(
      line,
    )!
    expect(await refused(line)).toEqual({ message, command })
  })

  const entries = entriesOf(commandGroups).flatMap((each) => [each, ...(each.commands ?? [])])

  it.each(entries.flatMap(({ name, argument }) => (argument ? [[name, argument]] : [])))(
    'the argument of %s is no option',
    async (name, { name: argument, written }) => {
      const message = `Unknown option "--${argument}". Did you mean ${name} ${written}, without dashes?`
      for (const line of [`--${argument}=a`, `a --${argument} b`]) {
        expect((await refused(`${name} ${line}`)).message).toBe(message)
      }
      const { message: unknown } = await refused(`${name} --xyzzy-plugh`)
      expect(unknown).not.toContain(`--${argument}`)
    },
  )

  it.each(entriesOf(commandGroups).map(({ name }) => name))(
    'shows the help of %s',
    async (line) => {
      for (const words of [`${line} --help`, `help ${line}`]) {
        const { code, stdout } = await run(words)
        expect(code).toBe(0)
        expect(stdout).toMatch(new RegExp(`^svtrain-emulator ${line}`))
        expect(stdout.split('\n').filter((each) => each.length > 100)).toEqual([])
      }
    },
  )

  it('shows the options of exec that are needed each day, and all of them one word away', async () => {
    const { stdout } = await run('exec --help')
    expect(stdout.split('\n').length).toBeLessThan(30)
    expect(stdout).toContain('  --checks ')
    expect(stdout).not.toContain('--keep-jobs')
    expect(stdout).toContain('All options and exit codes: svtrain-emulator help exec')
    const { stdout: whole } = await run('help exec')
    expect(whole).toContain('--keep-jobs')
    expect(whole).toContain('124 after --timeout')
  })
})

describe('play', () => {
  it('prints a readable report', async () => {
    const { code, stdout } = await run('play happy-path')
    expect(code).toBe(0)
    expect(stdout).toContain('+6.00s  training_ended\n')
    expect(stdout).toMatch(/rl job \w{8} of my-model: ended after 6\.0s with checkpoint 1$/m)
    expect(stdout).toMatch(/^ {2}loss +█[▁▂▃▄▅▆▇█]{3} {2}[\d.]+ → [\d.]+$/m)
  })

  it.each([
    ['failing-job', 'failed after 5.0s: CUDA out of memory'],
    ['stuck-job', 'still running: gave up after 10m without news'],
    ['ends-without-checkpoint', 'ended after 3.0s with checkpoint 1'],
  ])('reports the outcome of %s, and exits with 0', async (name, end) => {
    const { code, stdout } = await run(`play ${name}`)
    expect(code).toBe(0)
    expect(stdout).toContain(end)
    // The player invents its answers.
    expect(stdout).not.toContain('warning')
  })

  it('names the rules that nothing came of', async () => {
    workIn(temporaryFolder())
    const timeline = '[{ event: training_started }, { event: training_ended }]'
    writeFileSync(
      'mine.yaml',
      `name: mine\njobs:\n  - match: { ordinal: 4 }\n    timeline: ${timeline}\n`,
    )
    const unused = expect.stringMatching(/^Nothing came of jobs\[0\] \(Job 4 of a model/)
    const { stdout } = await run('play ./mine.yaml')
    expect(stdout.split('\n').at(-1)).toEqual(unused)
    expect(JSON.parse((await run('play ./mine.yaml --json')).stdout).unused).toEqual([unused])
  })

  it('prints JSON for programs', async () => {
    const { stdout } = await run('play failing-job --json --seed 7')
    expect(JSON.parse(stdout)).toMatchObject({
      scenario: 'failing-job',
      seed: 7,
      jobs: [{ kind: 'rl', model: 'my-model', ended: 'failed' }],
      checkpoints: [{ model: 'my-model', step: 0 }],
      notes: [],
      duplicates: 0,
      unused: [],
    })
  })

  it('stops the clock while training data files are read', async () => {
    workIn(temporaryFolder())
    const example = JSON.stringify({ messages: [{ role: 'assistant', content: 'Yes.' }] })
    writeFileSync('data.jsonl', `${example}\n`.repeat(4000))
    writeFileSync(
      'mine.yaml',
      `name: mine
play: { jobs: [{ kind: sft }] }
sft: { files: { 'artifact:///team/play/data:v0': ./data.jsonl } }
timeline: [{ do: add_alias, alias: a, at: 1s }, { do: add_alias, alias: b, at: 50s }]
`,
    )
    const { jobs, calls } = JSON.parse((await run('play ./mine.yaml --json')).stdout)
    expect(calls[1]).toMatchObject({ result: 'answered', took: 0 })
    expect(jobs).toMatchObject([{ kind: 'sft', ended: 'ended' }])
  })
})
