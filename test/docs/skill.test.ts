import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { blocksOf, pages, root } from '../support/pages.js'

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
