import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkNames } from '../../src/emulator/testing/client-checks.js'
import { root } from '../stamp.js'
import { block, code, page, table } from './markdown.js'

/** Lists the client checks with what they find. */
export function checksPage(): string {
  const source = readFileSync(join(root, 'src', 'emulator', 'testing', 'client-checks.ts'), 'utf8')
  return page(
    'Client checks',
    'Client checks find mistakes of a client that cost money or hide failures. The Vitest fixture runs them after each passing test. Elsewhere, run them yourself:',
    block('text', 'emulator.assertClientChecks()'),
    'Each check is on unless it is `false`. [Test your code](../testing.md) shows how to use them.',
    table(
      ['check', 'the mistake'],
      checkNames.map((name) => [code(name), commentOn(name, source)]),
    ),
    'A check that finds something throws a `ClientCheckError` with the code `SVTRAIN_CONDUCT`. Its `findings` name each mistake, and the message says which option allows it.',
  )
}

function commentOn(name: string, source: string): string {
  const pattern = new RegExp(String.raw`/\*\* ([^*]*) \*/\n  ${name}\?: boolean`)
  const [, comment = ''] = pattern.exec(source) ?? []
  if (comment === '')
    throw new Error(`src/emulator/testing/client-checks.ts does not describe ${name}.`)
  return comment
}
