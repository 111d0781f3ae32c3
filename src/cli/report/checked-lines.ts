import { counted } from '../../base/text/counted.js'
import type { Emulator } from '../../emulator/emulator.js'
import { checksOfPrograms, judgedIn, type Finding } from '../../emulator/testing/client-checks.js'
import {
  cursorsNotJudged,
  deliveriesNotJudged,
  judgedCalls,
  judgedText,
  notJudgedTexts,
} from '../../emulator/testing/reach.js'
import { usedWorlds } from '../../emulator/testing/used-worlds.js'

/** Says what the client checks judged, what they could not judge, and whether warnings alone fail the command. */
export function checkedLines(emulator: Emulator, found: readonly Finding[]): string[] {
  const worlds = usedWorlds(emulator)
  const judged = worlds.flatMap((world) => judgedIn(world, checksOfPrograms(world)))
  const { calls, not: before } = judgedCalls(worlds)
  const not = [
    ...before,
    ...new Set(notJudgedTexts(judged)),
    ...cursorsNotJudged(worlds),
    ...deliveriesNotJudged(worlds),
  ]
  const text = judgedText(judged)
  return [
    `The client checks judged ${counted(calls, 'call')}${text === '' ? '' : `; ${text}`}.`,
    ...not.map((each) => `Not judged: ${each}.`),
    ...endLines(found, { isWhole: not.length === 0, isEmpty: calls === 0 }),
  ]
}

function endLines(
  found: readonly Finding[],
  { isWhole, isEmpty }: { isWhole: boolean; isEmpty: boolean },
): string[] {
  if (found.length === 0) {
    if (isEmpty) return ['Nothing was judged.']
    return [isWhole ? 'No mistake found.' : 'Nothing found in what was judged.']
  }
  if (found.some(({ severity }) => severity === 'fail')) return []
  return [
    `The checks found ${counted(found.length, 'warning')}. Only --checks=fail fails the command because of that.`,
  ]
}
