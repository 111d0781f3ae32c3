import { jobIdHint } from '../base/text/evidence.js'
import { didYouMean } from '../base/text/nearest.js'
import { knownFileAt } from '../emulator/adapters/known-file.js'
import { namesFile } from '../service/scenario/names-file.js'
import { lastWord, type Entry } from './command.js'
import type { CommandInfo } from './context.js'
import { elsewhereText } from './elsewhere.js'
import { scenarioNames } from './options/scenario.js'
import { servedOptions } from './options/serve.js'

/** What errors say about a command. */
export function infoOf({ name, argument, takesRest, commands = [] }: Entry): CommandInfo {
  const takes = argument && (argument.takes ?? argument.value.takes)
  const names = commands.map((each) => lastWord(each.name))
  return {
    name,
    takes,
    argument,
    takesRest,
    unexpected(written, options) {
      const unexpected = `Unexpected argument "${written}".`
      if (takesRest) {
        const words = [...takenBy(options['intercept']), written].join(' ')
        return `${unexpected} The command follows two dashes: -- ${words}`
      }
      const hint = didYouMean(written, names, (each) => `${name} ${each}`)
      const known = knownFileAt(written)
      const toDo = known ? ` It is ${known.what}. ${known.toDo}.` : jobIdHint(written)
      return `${unexpected}${hint} ${name} takes ${takes ?? 'none'}.${toDo}`
    },
  }
}

/** The words of a command that `--intercept` took for its value, as no dashes were before them. */
function takenBy(intercept: unknown): string[] {
  return [intercept].flat().filter((each): each is string => {
    return typeof each === 'string' && each !== '' && each !== 'documented' && !each.includes('=')
  })
}

/** What other programs call the command that starts them. */
const SERVING: ReadonlySet<string> = new Set(
  'server start run up dev launch listen begin'.split(' '),
)

/** Explains an argument without a command: it may be a misspelled command, or a scenario. */
export function unexpectedFor(commandNames: readonly string[]): CommandInfo['unexpected'] {
  return (first, options) => {
    // It may be a second key, which must not be printed.
    if (options['api-key'] !== undefined) {
      return 'Unexpected argument. Give several keys as --api-key one --api-key two.'
    }
    if (SERVING.has(first)) {
      const runs =
        first === 'run' ? ' To run a program with it: svtrain-emulator exec -- <command>.' : ''
      return `There is no command "${first}": svtrain-emulator itself serves. Leave "${first}" out, as in svtrain-emulator --scenario failing-job.${runs}`
    }
    const isAlone = Object.keys(servedOptions).every((name) => options[name] === undefined)
    const scenarios = namesFile(first) ? [first] : scenarioNames()
    const hint =
      elsewhereText([options['_']].flat().map(String)) ??
      ((options.scenario === undefined &&
        didYouMean(first, scenarios, (scenario) => `--scenario ${scenario}`)) ||
        (isAlone && didYouMean(first, commandNames, (name) => name)) ||
        ' There is no such command. The command help lists all.')
    return `Unexpected argument "${first}".${hint}`
  }
}
