import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../support/pages.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { run, workIn } from './commands.js'

/** A project in which the package is installed. */
function project(): string {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules', 'svtrain-emulator'), 'junction')
  workIn(folder)
  return folder
}

type Settings = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

describe('scenarios schema --settings', () => {
  it('prints settings of VS Code with a path that exists', async () => {
    const folder = project()
    const { stdout, code } = await run('scenarios schema --settings vscode')
    expect(code).toBe(0)
    const [[path, files] = []] = Object.entries((JSON.parse(stdout) as Settings)['yaml.schemas']!)
    expect(files).toEqual(['scenarios/*.yaml', '*.scenario.yaml'])
    const schema = JSON.parse(readFileSync(join(folder, path!), 'utf8')) as { title: string }
    expect(schema.title).toBe('A scenario of svtrain-emulator')
  })

  it('finds the package in a folder above, as in a monorepo', async () => {
    const folder = project()
    mkdirSync(join(folder, 'packages', 'app'), { recursive: true })
    workIn(join(folder, 'packages', 'app'))
    const { stdout } = await run('scenarios schema --settings vscode')
    expect(stdout).toContain('"../../node_modules/svtrain-emulator/dist/scenario.schema.json"')
  })

  it('separates YAML and JSON files', async () => {
    project()
    const { stdout } = await run(
      'scenarios schema --settings vscode --files a/*.yaml --files b/*.json',
    )
    const path = './node_modules/svtrain-emulator/dist/scenario.schema.json'
    expect(JSON.parse(stdout)).toEqual({
      'yaml.schemas': { [path]: ['a/*.yaml'] },
      'json.schemas': [{ fileMatch: ['b/*.json'], url: path }],
    })
  })

  it('prints settings of JetBrains IDEs with a path that exists', async () => {
    const folder = project()
    const { stdout } = await run('scenarios schema --settings jetbrains --files a&b/*.yaml')
    const [, path] = /name="relativePathToSchema" value="([^"]*)"/.exec(stdout)!
    expect(existsSync(join(folder, path!))).toBe(true)
    expect(stdout).toContain('name="path" value="a&amp;b/*.yaml"')
    // Each element is closed where its parent ends.
    const open: string[] = []
    for (const [, end, name, empty] of stdout.matchAll(/<(\/?)(\w+)[^>?]*?(\/?)>/g)) {
      if (end === '/') expect(open.pop()).toBe(name)
      else if (empty === '') open.push(name!)
    }
    expect(open).toEqual([])
  })

  it('writes a new file, and never replaces one', async () => {
    const folder = project()
    const line = 'scenarios schema --settings vscode --write'
    const written = await run(line)
    expect(written).toMatchObject({ code: 0, stderr: '' })
    expect(written.stdout).toContain('Wrote .vscode/settings.json.')
    writeFileSync(join(folder, '.vscode', 'settings.json'), '{ "mine": true }')
    const again = await run(line)
    expect(again.code).toBe(2)
    expect(again.stderr).toContain('.vscode/settings.json exists already, and stays as it is.')
    expect(again.stdout).toContain('"yaml.schemas"')
    expect(readFileSync(join(folder, '.vscode', 'settings.json'), 'utf8')).toBe('{ "mine": true }')
  })

  it('saves the schema where the package is not installed', async () => {
    const folder = temporaryFolder()
    workIn(folder)
    const printed = await run('scenarios schema --settings vscode')
    expect(printed.stdout).toContain('"./scenario.schema.json"')
    expect(printed.stderr).toContain('npx svtrain-emulator scenarios schema > scenario.schema.json')
    await run('scenarios schema --settings jetbrains --write')
    const schema = JSON.parse(readFileSync(join(folder, 'scenario.schema.json'), 'utf8')) as object
    const whole = await run('scenarios schema')
    expect(schema).toEqual(JSON.parse(whole.stdout))
  })
})

describe('scenarios new', () => {
  it('writes the line that gives editors the schema, if there is one', async () => {
    const folder = project()
    await run('scenarios new mine')
    const [line = ''] = readFileSync(join(folder, 'mine.yaml'), 'utf8').split('\n')
    const [, path = ''] = /^# yaml-language-server: \$schema=(.*)$/.exec(line)!
    expect(existsSync(join(folder, path))).toBe(true)
    workIn(temporaryFolder())
    await run('scenarios new mine')
    expect(readFileSync('mine.yaml', 'utf8')).not.toContain('$schema')
  })
})
