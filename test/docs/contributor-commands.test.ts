import { copyFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { endedInProcess } from '../cli/in-process.js'
import { contributorCommands, runsInClone, runsInProcess } from './contributor-commands.js'
import { root } from '../support/pages.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/**
 * The commands of AGENTS.md and docs/contributing.md: their scripts, files and options exist. Those that
 * take seconds run in a clone, where npx starts the emulator as well: test/package/clone.test.ts.
 */

const commands = contributorCommands()

describe('the commands for those who change the emulator', () => {
  it.each(Object.keys({ ...runsInClone, ...runsInProcess }))('%s is on a page', (command) => {
    expect(commands).toContain(command)
  })

  it.each(Object.values(runsInProcess))('the emulator runs %s', async (command) => {
    const cwd = temporaryFolder()
    copyFileSync(join(root, 'scenarios', 'failing-job.yaml'), join(cwd, 'mine.yaml'))
    const env = { HOME: cwd }
    const { code, stdout, stderr } = await endedInProcess(command.split(' '), { cwd, env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toBe('')
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
      const paths = words.slice(
        0,
        [...words, '-'].findIndex((word) => word.startsWith('-')),
      )
      // A word after -u would be its value.
      expect(['', '-u', '--no-isolate', '--project quick']).toContain(
        words.slice(paths.length).join(' '),
      )
      for (const path of paths) {
        const files = statSync(join(root, path)).isFile()
          ? [path]
          : readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
        expect(files.filter((file) => file.endsWith('.test.ts'))).not.toEqual([])
      }
    },
  )
})
