import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { controlOperations } from '../../src/compose/control-table.js'
import { describeApi } from '../../src/service/api/openapi.js'
import { root } from '../stamp.js'
import { pageFrom } from './markdown.js'

/** Describes the package for Python. Python reads its sources: without it, the page stays as it is. */
export function pythonPage(): string {
  const { status, stdout, stderr, error } = spawnSync('python3', ['.build/reference/python.py'], {
    cwd: root,
    input: JSON.stringify(describeApi(controlOperations, 'control')),
    encoding: 'utf8',
  })
  if (error) return readFileSync(join(root, 'docs', 'reference', 'python.md'), 'utf8')
  if (status !== 0) throw new Error(`The page of the Python API could not be made: ${stderr}`)
  return pageFrom('python', { api: stdout.trim() })
}
