import { checks } from '../../src/emulator/testing/checks/index.js'
import { leastOf } from '../../src/emulator/testing/tally.js'
import { isFileCheck, type CheckName } from '../../src/service/scenario/check-names.js'
import { code, pageFrom, table } from './markdown.js'

/** Lists the client checks with what they find. */
export function checksPage(): string {
  return pageFrom('checks', {
    checks: table(
      ['check', 'the mistake'],
      Object.entries(checks).map(([name, { mistake }]) => [code(name), mistake]),
    ),
    judged: table(
      ['check', 'judges', 'choices and captured calls', 'messages', 'needs', 'in a file'],
      judgedRows(),
    ),
  })
}

function judgedRows(): string[][] {
  return Object.entries(checks).flatMap(([name, check]) => {
    if (!('training' in check)) return []
    const { judges, onMessages = 'yes', onChoices = 'yes', inFile = 'yes', ifMany } = check.training
    const needs = ifMany ? leastOf(ifMany) : ''
    const file = isFileCheck(name as CheckName) ? inFile : ''
    return [[code(name), `each ${judges}`, onChoices, onMessages, needs, file]]
  })
}
