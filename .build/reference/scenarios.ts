import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtInScenarios } from '../../src/service/scenario/all-built-in-scenarios.js'
import { DEFAULT_SCENARIO, magicNames } from '../../src/service/scenario/built-in-scenarios.js'
import { root } from '../stamp.js'
import { code, pageFrom, table, upperFirst } from './markdown.js'

/** Lists the built-in scenarios, and what the files say about each. */
export function scenariosPage(): string {
  return pageFrom('scenarios', {
    usual: DEFAULT_SCENARIO,
    scenarios: table(
      ['name', 'what happens'],
      builtInScenarios.map(({ name, description }) => [`[${code(name)}](#${name})`, description]),
    ),
    names: table(
      ['model name begins with', 'its jobs'],
      magicNames().map(({ name, effect }) => [code(name), `${upperFirst(effect)}.`]),
    ),
    sections: builtInScenarios.flatMap(({ name, description }) => {
      return [`### ${name}`, description, commentOf(name)]
    }),
  })
}

/** The first comment of a scenario file, without the line for editors. Each paragraph is one line. */
function commentOf(name: string): string {
  const text = readFileSync(join(root, 'scenarios', `${name}.yaml`), 'utf8')
  const [comment = ''] = /^(?:#.*\n)*/.exec(text) ?? []
  return comment.replaceAll(/^# yaml-language-server.*\n|^# ?/gm, '').trim()
}
