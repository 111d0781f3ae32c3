import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { allBlocks } from '../support/pages.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { assertBuilt, Command } from './command.js'
import { refused, run, workIn } from './commands.js'

beforeAll(assertBuilt)

const FINE = 'name: mine\n'
const WRONG = 'name: mine\nseed: one\n'
const PROBLEM = 'mine.yaml:2:7: seed: expected a number, got "one"'

/** Starts `scenarios check --watch` in a folder, and waits for the first block. */
async function watching(cwd: string, ...args: string[]): Promise<Command> {
  const command = new Command(['scenarios', 'check', ...args, '--watch'], { cwd })
  await command.says(/^Checked /m)
  return command
}

/** Watches a folder that has `one.yaml`. */
async function watchingFolder(): Promise<{ folder: string; command: Command }> {
  const cwd = temporaryFolder()
  const folder = join(cwd, 'scenarios')
  mkdirSync(folder)
  writeFileSync(join(folder, 'one.yaml'), FINE)
  return { folder, command: await watching(cwd, 'scenarios') }
}

/** Waits until the command has printed this many blocks, and returns the last one. */
async function block(command: Command, number: number): Promise<string[]> {
  await command.says(new RegExp(`(?:^Checked [^]*?\n){${number}}`, 'm'))
  const { lines } = command
  return lines.slice(lines.findLastIndex((line) => line.startsWith('Checking ')))
}

describe('scenarios check --watch', { timeout: 30_000 }, () => {
  it('prints one block for each change, and ends with Ctrl-C', async () => {
    const cwd = temporaryFolder()
    const file = join(cwd, 'mine.yaml')
    writeFileSync(file, FINE)
    const command = await watching(cwd, 'mine.yaml')
    writeFileSync(file, WRONG)
    expect(await block(command, 2)).toEqual([
      'Checking 1 file: mine.yaml changed',
      PROBLEM,
      'Checked 1 file: 1 problem',
    ])
    writeFileSync(file, FINE)
    await block(command, 3)
    command.process.kill('SIGINT')
    expect(await command.ended()).toBe(0)
    expect(command.lines).toEqual([
      'Checking 1 file',
      'Checked 1 file: no problems',
      'Checking 1 file: mine.yaml changed',
      PROBLEM,
      'Checked 1 file: 1 problem',
      'Checking 1 file: mine.yaml changed',
      'Checked 1 file: no problems',
    ])
    expect(command.stderr).toBe('')
  })

  it('follows a file that is replaced, deleted and written again', async () => {
    const cwd = temporaryFolder()
    const file = join(cwd, 'mine.yaml')
    writeFileSync(file, FINE)
    const command = await watching(cwd, 'mine.yaml')
    writeFileSync(join(cwd, '.mine.yaml.swp'), WRONG)
    renameSync(join(cwd, '.mine.yaml.swp'), file)
    expect(await block(command, 2)).toContain(PROBLEM)
    rmSync(file)
    expect(await block(command, 3)).toContainEqual(
      expect.stringMatching(
        /^mine\.yaml:1:1: Failed to read the scenario mine\.yaml: there is no such file in \/.+\.$/,
      ),
    )
    writeFileSync(file, FINE)
    expect(await block(command, 4)).toContain('Checked 1 file: no problems')
  })

  it('follows the files that a file extends, also in another folder', async () => {
    const cwd = temporaryFolder()
    mkdirSync(join(cwd, 'shared'))
    writeFileSync(join(cwd, 'shared', 'base.yaml'), FINE)
    writeFileSync(join(cwd, 'mine.yaml'), 'name: mine\nextends: ./shared/base.yaml\n')
    const command = await watching(cwd, 'mine.yaml')
    writeFileSync(join(cwd, 'shared', 'base.yaml'), WRONG)
    const [first, second] = await block(command, 2)
    expect(first).toBe(`Checking 1 file: ${join('shared', 'base.yaml')} changed`)
    expect(second).toContain(`${join('shared', 'base.yaml')}:2:7: `)
  })

  it('follows a folder, with files and folders that appear later', async () => {
    const { folder, command } = await watchingFolder()
    writeFileSync(join(folder, 'two.yml'), FINE)
    expect(await block(command, 2)).toContain('Checked 2 files: no problems')
    writeFileSync(join(folder, 'notes.txt'), 'not a scenario')
    mkdirSync(join(folder, 'deep'))
    writeFileSync(join(folder, 'deep', 'three.yaml'), WRONG)
    expect(await block(command, 3)).toContain('Checked 3 files: 1 problem')
    rmSync(folder, { recursive: true })
    mkdirSync(folder)
    writeFileSync(join(folder, 'one.yaml'), WRONG)
    await command.says(/Checked 1 file: 1 problem\n$/)
  })

  it('continues when folders disappear while it reads them', async () => {
    const { folder, command } = await watchingFolder()
    for (let round = 1; round <= 5; round++) {
      for (let deep = 0; deep < 30; deep++) {
        mkdirSync(join(folder, `deep-${deep}`))
        writeFileSync(join(folder, `deep-${deep}`, 'two.yaml'), FINE)
      }
      await command.says(new RegExp(`(?:^Checking 31 files[^]*?){${round}}`, 'm'))
      rmSync(folder, { recursive: true })
      mkdirSync(folder)
      writeFileSync(join(folder, 'one.yaml'), FINE)
      await command.says(/Checked 1 file: no problems\n$/)
    }
    writeFileSync(join(folder, 'one.yaml'), WRONG)
    await command.says(/Checked 1 file: 1 problem\n$/)
    expect(command.stderr).toBe('')
  })

  it('follows a glob', async () => {
    const cwd = temporaryFolder()
    mkdirSync(join(cwd, 'scenarios', 'deep'), { recursive: true })
    writeFileSync(join(cwd, 'scenarios', 'one.yaml'), FINE)
    writeFileSync(join(cwd, 'scenarios', 'deep', 'two.yaml'), FINE)
    const command = await watching(cwd, 'scenarios/*.yaml')
    writeFileSync(join(cwd, 'scenarios', 'three.yaml'), WRONG)
    expect(await block(command, 2)).toContain('Checked 2 files: 1 problem')
  })

  it('prints what the problem matcher of the documentation reads', async () => {
    const task = allBlocks().find(({ code }) => code.includes('"problemMatcher"'))!
    const { tasks } = JSON.parse(task.code) as { tasks: { problemMatcher: Matcher }[] }
    const { pattern, background } = tasks[0]!.problemMatcher
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'mine.yaml'), `${WRONG}clock: { mode: fast }\n`)
    const { lines } = await watching(cwd, 'mine.yaml')
    const matching = (text: string) => lines.filter((line) => new RegExp(text).test(line))
    expect(matching(background.beginsPattern)).toEqual([lines[0]])
    expect(matching(background.endsPattern)).toEqual([lines.at(-1)])
    const found = lines.flatMap((line) => {
      const match = new RegExp(pattern.regexp).exec(line)
      const { file, line: row, column, message } = pattern
      return match ? [[match[file], match[row], match[column], match[message]]] : []
    })
    expect(found).toHaveLength(2)
    expect(found[0]).toEqual(['mine.yaml', '2', '7', 'seed: expected a number, got "one"'])
    expect(found[1]!.slice(0, 2)).toEqual(['mine.yaml', '3'])
  })
})

interface Matcher {
  pattern: { regexp: string; file: number; line: number; column: number; message: number }
  background: { beginsPattern: string; endsPattern: string }
}

describe('scenarios check', () => {
  it('checks all files of a folder, and of a glob', async () => {
    workIn(temporaryFolder())
    mkdirSync('scenarios')
    writeFileSync(join('scenarios', 'one.yaml'), FINE)
    writeFileSync(join('scenarios', 'two.yml'), FINE)
    const names = ['one.yaml', 'two.yml'].map((name) => join('scenarios', name))
    for (const argument of ['scenarios', 'scenarios/*.y*ml', '**/*.{yaml,yml}']) {
      const { code, stdout } = await run(`scenarios check ${argument}`)
      expect({ argument, code }).toEqual({ argument, code: 0 })
      expect(stdout.split('\n')).toEqual(names.map((name) => `${name}: fine`))
    }
  })

  it('takes two stars for folders, and one star for a part of a name', async () => {
    workIn(temporaryFolder())
    const files = ['one.yaml', 'a/one.yaml', 'a/not-one.yaml', 'a/b/one.yaml', 'b/c/one.yaml']
    for (const file of files) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, FINE)
    }
    const { stdout } = await run(`scenarios check **/one.yaml a/*/*.yaml b/**/*.yaml */o*.yaml`)
    const right = ['a/b/one.yaml', 'a/one.yaml', 'b/c/one.yaml', 'one.yaml']
    expect(stdout.split('\n').sort()).toEqual(right.map((file) => `${normalize(file)}: fine`))
  })

  it.each([
    ['.', 'The folder . has no files that end with .yaml or .yml.'],
    ['*.yaml', 'No file matches *.yaml.'],
  ])('refuses %s without files', async (argument, message) => {
    workIn(temporaryFolder())
    expect((await refused(`scenarios check ${argument}`)).message).toContain(message)
  })
})
