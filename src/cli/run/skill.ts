import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageFolder } from '../../emulator/adapters/package-folder.js'
import type { Run } from '../command.js'
import type { skill } from '../commands/skill.js'
import { UsageError } from '../usage-error.js'

const NAME = 'svtrain-emulator'

/** The folder of the skill, from dist/ and from src/cli/run/. */
const FOLDERS = [`../skills/${NAME}/`, `../../../skills/${NAME}/`]

/** Prints where the skill for coding assistants is, or copies it to the skills of a project. */
export const runCommand: Run<typeof skill> = async ({ to, force = false }, { terminal }) => {
  const { write, writeError } = terminal
  const source = skillFolder()
  if (to === undefined) {
    write(`The skill is in ${source}`)
    write('Copy it to the folder where your assistant looks for skills:')
    write(`  ${NAME} skill --to .agents/skills`)
    return 0
  }
  const target = join(to, NAME)
  const changed = await changedFiles(source, target)
  const exists = existsSync(target)
  if (exists && changed.length === 0) {
    write(`${target} is up to date.`)
    return 0
  }
  if (exists && !force) {
    throw new UsageError(
      `${target} exists already, and differs: ${changed.join(', ')}. To replace these files, pass --force.`,
      'skill',
    )
  }
  try {
    await mkdir(target, { recursive: true })
    await cp(source, target, { recursive: true })
  } catch (error) {
    writeError(`Failed to write ${target}: ${(error as Error).message}.`)
    return 1
  }
  write(`Wrote the skill to ${target}. Add it to your repository.`)
  return 0
}

/** Returns the files of the skill that a folder does not have, or has with another text. */
async function changedFiles(source: string, target: string): Promise<string[]> {
  const entries = await readdir(source, { recursive: true, withFileTypes: true })
  const files = entries.flatMap((entry) => {
    return entry.isFile() ? [join(entry.parentPath, entry.name).slice(source.length)] : []
  })
  const same = await Promise.all(
    files.map(async (file) => {
      const theirs = await readFile(join(target, file)).catch(() => undefined)
      return theirs?.equals(await readFile(join(source, file))) === true
    }),
  )
  return files.filter((_, index) => !same[index]).sort()
}

function skillFolder(): string {
  const found = packageFolder(import.meta.url, FOLDERS, 'SKILL.md')
  if (found === undefined) throw new Error('The package has no folder skills/. Install it again.')
  return found
}
