import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { operationNames } from '../../service/contract/operation-names.js'
import { editorSchema } from '../../service/scenario/editor-schema.js'
import type { Run } from '../command.js'
import type { scenariosSchema } from '../commands/scenarios-schema.js'
import { SAVED_SCHEMA, schemaPath, settingsFiles, settingsFor } from '../editor-settings.js'
import { printable, printableJson, printableLines } from '../terminal.js'
import { UsageError } from '../usage-error.js'

/** Where scenarios usually are. */
const USUAL_FILES = ['scenarios/*.yaml', '*.scenario.yaml']

export const runCommand: Run<typeof scenariosSchema> = async (args, { terminal, program }) => {
  const { settings: editor, files = USUAL_FILES, write: toFile } = args
  const { write, writeError } = terminal
  if (editor === undefined) {
    if (toFile || args.files) {
      throw new UsageError('--write and --files need --settings vscode or --settings jetbrains.')
    }
    write(printableJson(editorSchema(operationNames), 2))
    return 0
  }
  const installed = schemaPath()
  const schema = installed ?? `./${SAVED_SCHEMA}`
  const text = settingsFor(editor, schema, files)
  if (!toFile) {
    write(printableLines(text))
    if (installed === undefined) writeError(`${MISSING} ${program} ${SAVE}`)
    return 0
  }
  const file = settingsFiles[editor]
  const isNew = await wrote(file, text)
  if (isNew) write(`Wrote ${file}. It gives the schema to ${files.map(printable).join(' and ')}.`)
  else {
    writeError(`${file} exists already, and stays as it is. Add this to it:\n`)
    write(printableLines(text))
  }
  if (
    installed === undefined &&
    (await wrote(SAVED_SCHEMA, JSON.stringify(editorSchema(operationNames))))
  ) {
    writeError(`Wrote ${SAVED_SCHEMA}, because the package is not installed in this folder.`)
  }
  return isNew ? 0 : 2
}

const MISSING = 'The npm package is not installed in this folder. Save the schema:'
const SAVE = `scenarios schema > ${SAVED_SCHEMA}`

/** Writes a new file. Returns false if it exists. */
async function wrote(file: string, text: string): Promise<boolean> {
  await mkdir(dirname(file), { recursive: true })
  try {
    await writeFile(file, `${text}\n`, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
