import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { endedInProcess } from './in-process.js'

const HOOK = 'http://127.0.0.1:9/hook'

/** Each way to name a file that a command reads, by the command and its option. FILE stands for the path. */
const READS: Readonly<Record<string, string>> = {
  'check-data': 'check-data FILE',
  'sink replay': `sink replay FILE --to ${HOOK}`,
  'sink sign': 'sink sign FILE --secret s',
  'sink verify': 'sink verify FILE --secret s --signature x',
  'check-receiver --payload': `check-receiver ${HOOK} --secret s --payload FILE`,
  'scenarios check': 'scenarios check FILE',
  'scenarios from': 'scenarios from FILE',
  'scenarios show': 'scenarios show FILE',
  play: 'play FILE',
  'snapshot show': 'snapshot show FILE',
  'snapshot import': 'snapshot import FILE',
  'exec --scenario': 'exec --scenario FILE -- true',
  'exec --import': 'exec --import FILE -- true',
  'exec --bill': 'exec --bill=FILE -- true',
  'explore --scenario': 'explore --scenario FILE -- true',
}

describe.each(Object.entries(READS))('%s', (_name, line) => {
  /** What the command says in a folder with another folder, and with a file that is of no use. */
  async function told(file: string): Promise<{ folder: string; said: string }> {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'folder.yaml'))
    writeFileSync(join(folder, 'prices.yaml'), 'not: [closed')
    const args = line.replace('FILE', file).split(' ')
    const { code, stdout, stderr } = await endedInProcess(args, { cwd: folder })
    expect([1, 2]).toContain(code)
    const said = stdout + stderr
    expect(said).not.toMatch(/ENOENT|EISDIR|ENOTDIR|\n +at /)
    return { folder, said }
  }

  it('names the folder of a file that is missing, and the nearest file', async () => {
    const { folder, said } = await told('./price.yaml')
    expect(said).toContain(`there is no such file in ${folder}.`)
    expect(said).toMatch(/Did you mean (?:\.\/)?prices\.yaml\?/)
  })

  it('names a folder that is missing', async () => {
    const { folder, said } = await told('./none/prices.yaml')
    expect(said).toContain(`there is no folder ${join(folder, 'none')}.`)
  })

  // This one reads all files of a folder.
  it.skipIf(line.startsWith('scenarios check'))('says that a folder is no file', async () => {
    const { said } = await told('./folder.yaml')
    expect(said).toMatch(/it is a folder|holds no recording/)
  })

  // A signature covers any bytes.
  it.skipIf(/sink (?:sign|verify)/.test(line))('names a file whose content is wrong', async () => {
    const { said } = await told('./prices.yaml')
    expect(said).toContain('prices.yaml')
  })
})
