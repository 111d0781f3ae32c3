import { checks } from '../../src/emulator/testing/checks/index.js'
import { block, code, page, table } from './markdown.js'

/** Lists the client checks with what they find. */
export function checksPage(): string {
  return page(
    'Client checks',
    'Client checks find mistakes of a client that cost money or hide failures. The Vitest fixture runs them after each passing test. Elsewhere, run them yourself:',
    block('text', 'emulator.assertClientChecks()'),
    'Each check is on unless it is `false`. [Test your code](../how-to/testing.md) shows how to use them.',
    table(
      ['check', 'the mistake'],
      Object.entries(checks).map(([name, { mistake }]) => [code(name), mistake]),
    ),
    'A check that finds something throws a `ClientCheckError` with the code `SVTRAIN_CONDUCT`. Its `findings` name each mistake, and the message says which option allows it.',
  )
}
