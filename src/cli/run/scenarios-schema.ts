import { operationNames } from '../../service/contract/operation-names.js'
import { editorSchema } from '../../service/scenario/editor-schema.js'
import type { Run } from '../command.js'
import { USUAL_FILES, type scenariosSchema } from '../commands/scenarios-schema.js'
import { SAVED_SCHEMA, schemaPath, settingsFiles, settingsFor } from '../editor-settings.js'
import { printable, printableJson, printableLines, type Terminal } from '../terminal.js'
import { UsageError } from '../usage-error.js'
import { writeNew } from '../write-in-folder.js'

export const runCommand: Run<typeof scenariosSchema> = async (args, { terminal, program }) => {
  const { settings: editor, files, write: toFile } = args
  if (editor === undefined) {
    if (toFile || files) {
      throw new UsageError('--write and --files need --settings vscode or --settings jetbrains.')
    }
    terminal.write(printableJson(editorSchema(operationNames), 2))
    return 0
  }
  const schema = schemaPath()
  const globs = files ?? USUAL_FILES
  const text = settingsFor(editor, schema ?? `./${SAVED_SCHEMA}`, globs)
  if (toFile) {
    const isNew = await writeSettings({ file: settingsFiles[editor], text, globs }, terminal)
    if (schema === undefined) await writeSchema(terminal)
    return isNew ? 0 : 2
  }
  terminal.write(printableLines(text))
  if (schema === undefined) terminal.writeError(`${MISSING} ${program} ${SAVE}`)
  return 0
}

const MISSING = 'The npm package is not installed in this folder. Save the schema:'
const SAVE = `scenarios schema > ${SAVED_SCHEMA}`

interface EditorSettings {
  readonly file: string
  readonly text: string
  readonly globs: readonly string[]
}

/** Writes settings into a file, or prints them for a file that is there. Returns whether the file is new. */
async function writeSettings(
  { file, text, globs }: EditorSettings,
  { write, writeError }: Terminal,
): Promise<boolean> {
  const also = await writeNew(file, `${text}\n`)
  if (also === undefined) {
    writeError(`${file} exists already, and stays as it is. Add this to it:\n`)
    write(printableLines(text))
    return false
  }
  write(`Wrote ${file}.${also} It gives the schema to ${globs.map(printable).join(' and ')}.`)
  return true
}

async function writeSchema({ writeError }: Terminal): Promise<void> {
  const also = await writeNew(SAVED_SCHEMA, `${JSON.stringify(editorSchema(operationNames))}\n`)
  if (also === undefined) return
  writeError(`Wrote ${SAVED_SCHEMA}, because the package is not installed in this folder.`)
}
