import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { blocksOf, pages, root } from '../support/pages.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { refused, run, workIn } from './commands.js'

const FOLDER = join(root, 'skills', 'svtrain-emulator')
const source = readFileSync(join(FOLDER, 'SKILL.md'), 'utf8')

describe('the skill', () => {
  const [, yaml = '', body = ''] = /^---\n([^]*?)\n---\n([^]*)$/.exec(source) ?? []
  const frontmatter = parse(yaml) as Record<string, string>

  it('has the frontmatter of the Agent Skills format', () => {
    expect(Object.keys(frontmatter)).toEqual(['name', 'description', 'license'])
    expect(frontmatter.name).toBe('svtrain-emulator')
    expect(frontmatter.name).toMatch(/^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/)
    expect(frontmatter.description!.length).toBeLessThanOrEqual(1024)
    expect(frontmatter.description).toMatch(/Use it to /)
    expect(frontmatter.description).not.toMatch(/[<>]/)
  })

  it('is short, and leads to each of its references', () => {
    expect(body.split('\n').length).toBeLessThan(500)
    const references = pages().filter(({ file }) => /^skills.*references/.test(file))
    expect(references.length).toBeGreaterThan(2)
    for (const { file } of references) {
      expect(source).toContain(`(${file.replace(/^skills\/svtrain-emulator\//, '')})`)
    }
  })

  it('needs no file outside its folder, because projects copy it', () => {
    const own = pages().filter(({ file }) => file.startsWith('skills'))
    const outside = own.flatMap(({ text }) => text.match(/\]\((?:\.\.\/){2,}[^)]*\)/g) ?? [])
    expect(outside).toEqual([])
  })

  it('has an example in both languages for each risk', () => {
    for (const language of ['typescript', 'python']) {
      const page = pages().find(({ file }) => file.endsWith(`references/${language}.md`))!
      const code = blocksOf(page)
        .map((block) => block.code)
        .join('\n')
      const risks = [...source.matchAll(/^\| .*? \| `([\w-]+)` +\|/gm)].map(([, name]) => name!)
      expect(risks.length).toBeGreaterThan(5)
      expect(risks.filter((name) => !code.includes(name))).toEqual([])
    }
  })
})

describe('svtrain-emulator skill', () => {
  it('says where the skill is, and how to copy it', async () => {
    const { code, stdout } = await run('skill')
    expect(code).toBe(0)
    expect(stdout).toContain(`The skill is in ${FOLDER}`)
    expect(stdout).toContain('skill --to .agents/skills')
  })

  it('copies the skill, and leaves other skills alone', async () => {
    workIn(temporaryFolder())
    expect(await run('skill --to .agents/skills')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Wrote the skill to') as string,
    })
    const copy = join('.agents', 'skills', 'svtrain-emulator')
    expect(readFileSync(join(copy, 'SKILL.md'), 'utf8')).toBe(source)
    expect(readFileSync(join(copy, 'references', 'python.md'), 'utf8')).not.toBe('')
    expect((await run('skill --to .agents/skills')).stdout).toMatch(/is up to date\.$/)
  })

  it('replaces a file that differs only with --force', async () => {
    const folder = temporaryFolder()
    await run(`skill --to ${folder}`)
    const file = join(folder, 'svtrain-emulator', 'SKILL.md')
    appendFileSync(file, 'My own line.\n')
    writeFileSync(join(folder, 'svtrain-emulator', 'mine.md'), 'My own file.\n')
    expect(await refused(`skill --to ${folder}`)).toEqual({
      message: expect.stringMatching(
        /exists already, and differs: SKILL\.md\. .* --force\.$/,
      ) as string,
      command: 'skill',
    })
    expect(readFileSync(file, 'utf8')).toContain('My own line.')

    expect(await run(`skill --to ${folder} --force`)).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8')).toBe(source)
    expect(readFileSync(join(folder, 'svtrain-emulator', 'mine.md'), 'utf8')).toContain('My own')
  })

  it('says why it cannot write', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'skills')
    writeFileSync(file, '')
    const { code, stderr } = await run(`skill --to ${file}`)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Failed to write .*skills/)
  })
})
