import { operationNames } from '../../service/contract/operation-names.js'
import { editorSchema } from '../../service/scenario/editor-schema.js'
import type { Run } from '../command.js'
import type { scenariosSchema } from '../commands/scenarios-schema.js'
import { SAVED_SCHEMA, schemaPath, settingsFiles, settingsFor } from '../editor-settings.js'
import { printable, printableJson, printableLines } from '../terminal.js'
import { UsageError } from '../usage-error.js'
import { writeNew } from '../write-in-folder.js'

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
  const also = await writeNew(file, `${text}\n`)
  const isNew = also !== undefined
  if (isNew)
    write(`Wrote ${file}.${also} It gives the schema to ${files.map(printable).join(' and ')}.`)
  else {
    writeError(`${file} exists already, and stays as it is. Add this to it:\n`)
    write(printableLines(text))
  }
  if (
    installed === undefined &&
    (await writeNew(SAVED_SCHEMA, `${JSON.stringify(editorSchema(operationNames))}\n`)) !==
      undefined
  ) {
    writeError(`Wrote ${SAVED_SCHEMA}, because the package is not installed in this folder.`)
  }
  return isNew ? 0 : 2
}

const MISSING = 'The npm package is not installed in this folder. Save the schema:'
const SAVE = `scenarios schema > ${SAVED_SCHEMA}`
