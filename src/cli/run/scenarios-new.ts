import { writeFile } from 'node:fs/promises'
import { UsageError } from '../usage-error.js'
import type { Run } from '../command.js'
import type { scenariosNew } from '../commands/scenarios-new.js'
import { schemaLine, schemaPath } from '../editor-settings.js'
import { scenarioTemplate } from './scenario-template.js'

export const runCommand: Run<typeof scenariosNew> = async ({ name: written }, context) => {
  const { program, terminal } = context
  const { write, writeError } = terminal
  const [ending = '.yaml'] = /\.ya?ml$/i.exec(written) ?? []
  const name = written.replace(/\.ya?ml$/i, '')
  assertSane(name)
  const file = name + ending
  const { stringify } = await import('yaml')
  try {
    // In YAML, a name such as 123 or null needs quotes.
    const template = scenarioTemplate(stringify(name).trim())
    const schema = schemaPath()
    const text = schema === undefined ? template : `${schemaLine(schema)}\n${template}`
    await writeFile(file, text, { flag: 'wx' })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') {
      throw new UsageError(`${file} exists already. Choose another name, or remove it first.`)
    }
    writeError(`Failed to write ${file}: ${message}.`)
    return 1
  }
  write(`Wrote ${file}. Try it: ${program} play ./${file}`)
  return 0
}

/** @throws {UsageError} When the name is not a valid file name on every system. */
function assertSane(name: string): void {
  if (/\.(?:json|[cm]?[jt]s)$/i.test(name)) {
    throw new UsageError(`"${name}" is not a YAML file. Leave the ending out, or write .yaml.`)
  }
  if (/^[a-z0-9][a-z0-9_-]{0,63}$/i.test(name)) return
  throw new UsageError(
    `scenarios new takes a name of at most 64 letters, digits, - and _, such as my-scenario, not "${name}".`,
  )
}
