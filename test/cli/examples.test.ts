import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createEmulator } from '../../src/index.js'
import { root } from '../support/pages.js'
import { startReceiver } from '../support/receiver.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { assertBuilt, Command } from './command.js'
import { text } from './parsed.js'

/** The examples in the help of the commands, which the reference shows as well. */

const page = readFileSync(join(root, 'docs', 'reference', 'cli.md'), 'utf8')
const examples = Array.from(page.matchAll(/^\$ npx svtrain-emulator (.*)$/gm), ([, line]) => line!)

function wordsOf(line: string): string[] {
  const [command = ''] = line.split(' > ')
  return command.match(/"[^"]*"|\S+/g)!.map((word) => word.replaceAll('"', ''))
}

/** A folder with the files that the examples read. */
function folderWith(snapshot: string): string {
  const folder = temporaryFolder()
  const files = {
    'payload.json': '{"hello": "receiver"}',
    'mine.yaml': 'name: mine\n',
    'other.yaml': 'name: other\n',
    'state.json': snapshot,
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return folder
}

describe('the examples of the commands', { timeout: 60_000 }, () => {
  beforeAll(assertBuilt)

  it('are there for every command', async () => {
    const sections = page.split(/^## /m).slice(1)
    const commands = sections.filter((section) => !section.startsWith('Serve\n'))
    expect(commands.length).toBeGreaterThan(15)
    const without = commands.filter((section) => !section.includes('$ npx svtrain-emulator '))
    expect(without.map((section) => section.split('\n')[0])).toEqual([])
    const help = await text('--help')
    const names = Array.from(
      help.matchAll(/^ {2}svtrain-emulator ([a-z][\w-]*)/gm),
      ([, name]) => name!,
    )
    expect(names).toContain('completion')
    const listed = sections.map((section) => section.split(/[ \n]/)[0])
    expect(names.filter((name) => !listed.includes(name))).toEqual([])
  })

  it.each(examples)('run: %s', async (line) => {
    await using emulator = createEmulator()
    await emulator.listen()
    const receiver = await startReceiver()
    const { origin } = new URL(emulator.trainingUrl)
    const cwd = folderWith(await (await fetch(`${origin}/_emulator/snapshot`)).text())
    const words = wordsOf(line).map((word) => {
      return word
        .replace('http://127.0.0.1:8080/hooks', receiver.url)
        .replace('http://127.0.0.1:4600', origin)
    })
    const dashes = words.indexOf('--')
    // The command of a user: any will do.
    if (dashes !== -1) words.splice(dashes + 1, Infinity, process.execPath, '--version')
    const isSink = words[0] === 'sink'
    const command = new Command(isSink ? [...words, '--port', '0'] : words, {
      cwd,
      env: { SVTRAIN_CONTROL_URL: emulator.trainingUrl },
    })
    if (isSink) {
      await command.says(/http:\/\/127\.0\.0\.1:\d+/)
      command.signal('SIGINT')
    }
    const code = await command.ended()
    // The signature of the example is wrong, and the receiver accepts every delivery.
    const finds = ['verify', 'check-receiver', 'trigger'].includes(words[0]!)
    const allowed = finds ? [0, 1] : [0]
    expect({ code, printed: command.output }).toMatchObject({
      code: expect.toSatisfy((each: number) => allowed.includes(each)) as number,
    })
  })
})
