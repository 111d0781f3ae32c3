import type { Mutant } from './draw.js'
import type { Hunt } from './hunt.js'
import { operators } from './operators.js'

interface Hunted {
  readonly mutant: Mutant
  readonly result: Hunt
}

/** Says how many mutants were found, of each operator, and what was found first in each. */
export function tableOf(results: readonly Hunted[]): string {
  const found = results.filter(({ result }) => result.found)
  const percent = Math.round((100 * found.length) / results.length)
  return [
    `${found.length} of ${results.length} mutants were found (${percent} %).`,
    '',
    'Found:',
    ...operators.flatMap(({ name }) => found.filter(of(name)).map(foundLine)),
    '',
    'Not found:',
    ...operators.flatMap(({ name, mistake }) => {
      return results
        .filter(of(name))
        .flatMap((each) => (each.result.found ? [] : [missedLine(each, mistake)]))
    }),
  ].join('\n')
}

function of(name: string): (hunted: Hunted) => boolean {
  return ({ mutant }) => mutant.operator === name
}

function placeOf({ operator, program, file, line }: Mutant): string {
  const where = file === program ? `${file}.mjs:${line}` : `${program}.mjs, ${file}.mjs:${line}`
  return `${operator.padEnd(20)} ${where}`
}

function foundLine({ mutant, result: { run, scenario, title } }: Hunted): string {
  return `  ${placeOf(mutant).padEnd(54)} run ${String(run).padStart(2)}, ${scenario}: ${title}`
}

function missedLine({ mutant, result: { passed, untrue } }: Hunted, mistake: string): string {
  const more = untrue.length === 0 ? '' : ` Not counted: ${untrue.join('; ')}.`
  return `  ${placeOf(mutant).padEnd(54)} ${passed} runs passed. ${mistake}${more}`
}
