import type { Hunt } from './hunt.js'
import type { Mutant } from './mistakes.js'

interface Hunted {
  readonly mutant: Mutant
  readonly result: Hunt
}

/** Says how many mutants were found, and what was found first in each. */
export function tableOf(results: readonly Hunted[]): string {
  const found = results.filter(({ result }) => result.found)
  const percent = Math.round((100 * found.length) / results.length)
  return [
    `${found.length} of ${results.length} mutants were found (${percent} %).`,
    '',
    'Found:',
    ...found.map(foundLine),
    '',
    'Not found:',
    ...results.filter(({ result }) => !result.found).map(missedLine),
  ].join('\n')
}

function placeOf({ operator, program, file, line }: Mutant): string {
  const where = file === program ? `${file}.mjs:${line}` : `${program}.mjs, ${file}.mjs:${line}`
  return `${operator.padEnd(20)} ${where}`
}

function foundLine({ mutant, result: { run, scenario, title } }: Hunted): string {
  return `  ${placeOf(mutant).padEnd(54)} run ${String(run).padStart(2)}, ${scenario}: ${title}`
}

function missedLine({ mutant, result: { passed, untrue } }: Hunted): string {
  const more = untrue.length === 0 ? '' : ` Not counted: ${untrue.join('; ')}.`
  return `  ${placeOf(mutant).padEnd(54)} ${passed} runs passed. ${mutant.mistake}${more}`
}
