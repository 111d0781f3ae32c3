import {
  readSnapshotFile,
  readSnapshotText,
  type ExportedSnapshot,
} from '../../adapters/snapshot-file.js'
import { readBytes } from './input.js'

/** That of a file, or with `-` of stdin. Raises `SnapshotError` or `DataFolderError`. */
export async function snapshotFrom(file: string): Promise<ExportedSnapshot> {
  if (file !== '-') return readSnapshotFile(file)
  return readSnapshotText(new TextDecoder().decode(await readBytes('-')), 'stdin')
}
