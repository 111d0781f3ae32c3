import { writeFile } from 'node:fs/promises'
import { UsageError } from '../usage-error.js'
import type { Run } from '../context.js'
import { scenarioTemplate } from './scenario-template.js'

export const scenariosNew: Run<{ name: string }> = async ({ name }, { terminal }) => {
  const { write, writeError } = terminal
  assertSane(name)
  const file = `${name}.yaml`
  const { stringify } = await import('yaml')
  try {
    // In YAML, a name such as 123 or null needs quotes.
    await writeFile(file, scenarioTemplate(stringify(name).trim()), { flag: 'wx' })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') {
      throw new UsageError(`${file} exists already. Choose another name, or remove it first.`)
    }
    writeError(`Failed to write ${file}: ${message}.`)
    return 1
  }
  write(`Wrote ${file}. Try it: svtrain-emulator play ./${file}`)
  return 0
}

/** @throws {UsageError} When the name is not a valid file name on every system. */
function assertSane(name: string): void {
  if (/\.(?:ya?ml|json)$/i.test(name)) {
    throw new UsageError(
      `"${name}" has a file ending. Leave it out: the name of the scenario becomes the name of the file.`,
    )
  }
  if (/^[a-z0-9][a-z0-9_-]{0,63}$/i.test(name)) return
  throw new UsageError(
    `scenarios new takes a name of at most 64 letters, digits, - and _, such as my-scenario, not "${name}".`,
  )
}
