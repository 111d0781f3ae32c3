import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8')

/** Returns the code blocks of the README in a language, in order. */
export function blocks(language: string): string[] {
  const block = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm')
  return [...readme.matchAll(block)].map(([, text]) => text!)
}
